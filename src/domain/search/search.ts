import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** How a result matches the text, best match first. */
export const matches = ['EXACT_ADDRESS', 'EXACT_NAME', 'PREFIX', 'SUBSTRING'] as const
export type Match = (typeof matches)[number]

export interface Hit {
  kind: 'pool' | 'vault' | 'market' | 'user'
  /** Null for a user, who has no chain. */
  chainId: bigint | null
  address: string
  match: Match
}

interface SearchFilter {
  /** Not empty. Case does not matter. */
  text: string
  chainId: number | null
  first: number
}

// SQL for how well a row of `addresses` and `names` matches the text `q.text`: 1 to 4, or null. The
// text is never a pattern, so it has no wildcards.
function grade(addresses: string[], names: string[]): string {
  const any = (test: (value: string) => string, of: string[]) => of.map(test).join(' OR ')
  const startsWith = (value: string) => `starts_with(${value}, q.text)`
  const lower = names.map((name) => `lower(${name})`)
  // Most rows do not contain the text, and are read once.
  return `CASE WHEN ${any((a) => `${a} = q.text`, addresses)} THEN 1
    WHEN ${any((name) => `strpos(${name}, q.text) > 0`, lower)} THEN
      CASE WHEN ${any((name) => `${name} = q.text`, lower)} THEN 2
        WHEN ${any(startsWith, [...addresses, ...lower])} THEN 3 ELSE 4 END
    WHEN ${any(startsWith, addresses)} THEN 3 END`
}

// `tokens`: the columns with the addresses of its tokens. The first one's record is `token_1`.
const part = (kind: string, tokens: string[], names: string[], name: string) =>
  Prisma.raw(`SELECT '${kind}' AS kind, t.chain_id, t.id, ${name} AS name,
    ${grade(['t.id', ...tokens], names)} AS fit
    FROM ${kind} t CROSS JOIN q ${tokens
      .map(
        (token, i) =>
          `LEFT JOIN token token_${i + 1} ON token_${i + 1}.chain_id = t.chain_id
            AND token_${i + 1}.address = ${token}`,
      )
      .join(' ')}`)

// Matches an address or its beginning, which is all that a user is found by.
const ADDRESS = /^0x[0-9a-f]{0,40}$/i

// The users whose address starts with the text: a range of the primary key.
const users = (
  first: number,
) => Prisma.sql`(SELECT 'user' AS kind, NULL::bigint AS chain_id, t.user_address AS id, '' AS name,
    CASE WHEN t.user_address = q.text THEN 1 ELSE 3 END AS fit
  FROM q JOIN "user" t ON t.user_address >= q.text AND t.user_address < q.text || 'g'
  ORDER BY t.user_address LIMIT ${first})`

/**
 * Searches pools, vaults, markets and users by address, symbol or name. Best matches first: exact
 * address, exact symbol or name, prefix, substring; then pools before vaults before markets before
 * users; then by name. Takes one pass over the small tables, and a range of users. Users have no
 * chain: with `chainId` there are no users.
 */
export async function search(
  reader: Reader,
  { text, chainId, first }: SearchFilter,
): Promise<Hit[]> {
  const pool = part(
    'pool',
    ['t.asset_1_address', 't.asset_2_address'],
    [
      't.name',
      't.asset_1_symbol',
      't.asset_2_symbol',
      'coalesce(token_1.name, t.asset_1_name)',
      'coalesce(token_2.name, t.asset_2_name)',
      "(t.asset_1_symbol || '·' || t.asset_2_symbol || '·' || t.number)",
    ],
    't.name',
  )
  const market = part(
    'market',
    ['t.asset_address'],
    ['t.asset_symbol', 'token_1.name'],
    't.asset_symbol',
  )
  const vault = part(
    'vault',
    ['t.asset_address'],
    ['t.name', 't.asset_symbol', 'token_1.name'],
    't.name',
  )
  const withUsers =
    chainId === null && ADDRESS.test(text) ? Prisma.sql`UNION ALL ${users(first)}` : Prisma.empty
  const rows = await reader.$queryRaw<(Omit<Hit, 'match'> & { fit: number })[]>`
    WITH q AS (SELECT lower(${text}::text) AS text)
    SELECT kind, chain_id AS "chainId", id AS address, fit
    FROM (${pool} UNION ALL ${market} UNION ALL ${vault} ${withUsers}) found
    WHERE fit IS NOT NULL
      ${chainId === null ? Prisma.empty : Prisma.sql`AND chain_id = ${chainId}::bigint`}
    ORDER BY fit, array_position(ARRAY['pool', 'vault', 'market', 'user'], kind),
      length(name), lower(name) COLLATE "C", chain_id, id
    LIMIT ${first}`
  return rows.map(({ fit, ...hit }) => ({ ...hit, match: matches[fit - 1] ?? 'SUBSTRING' }))
}
