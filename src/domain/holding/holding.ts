import type { Reader } from '../../db/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'

export type EntityType = 'market' | 'vault'

/**
 * What a user has in one market or vault now: the user's newest snapshot there, all positions added up. A missing
 * price counts as 0 and is told by `incomplete`.
 */
export interface Holding {
  chainId: bigint
  entityType: EntityType
  entityId: string
  /** Collateral that earns, or the vault's assets, in USD. */
  depositUsd: number
  /** Collateral that nobody can borrow and that earns nothing, in USD. */
  protectedUsd: number
  debtUsd: number
  incomplete: boolean
  /** Fractions a year. */
  depositRate: number
  borrowRate: number
}

/**
 * The holdings of each user, closed ones included (their newest snapshot is of zeros). Sums have a fixed order, so that
 * the same data gives the same bits, and the same ETag, everywhere. One statement; it jumps along
 * the index from one entity to the next, so a long history costs nothing.
 */
export async function holdingsOf(
  reader: Reader,
  users: readonly string[],
  chainId: number | null,
): Promise<Holding[][]> {
  const rows = await reader.$queryRaw<(Holding & { place: number })[]>`
    WITH RECURSIVE owner AS (
      SELECT address, place::int AS place FROM unnest(${[...users]}::text[]) WITH ORDINALITY AS u(address, place)
    ), ${newest('market', chainId)}, ${newest('vault', chainId)}
    SELECT n.place, n.chain_id AS "chainId", 'market' AS "entityType", n.entity_id AS "entityId",
      coalesce(sum(s.collateral_usd ORDER BY s.position_id), 0) AS "depositUsd", coalesce(sum(s.protected_usd ORDER BY s.position_id), 0) AS "protectedUsd",
      coalesce(sum(s.debt_usd ORDER BY s.position_id), 0) AS "debtUsd",
      bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete,
      coalesce(m.deposit_rate, 0) AS "depositRate", coalesce(m.borrow_rate, 0) AS "borrowRate"
    FROM newest_market n
    CROSS JOIN LATERAL (${snapshotsAt('market')}) s
    LEFT JOIN market m ON m.chain_id = n.chain_id AND m.id = n.entity_id
    GROUP BY n.place, n.chain_id, n.entity_id, m.deposit_rate, m.borrow_rate
    UNION ALL
    SELECT n.place, n.chain_id, 'vault', n.entity_id, coalesce(sum(s.assets_usd ORDER BY s.position_id), 0), 0, 0, bool_or(s.assets_usd IS NULL),
      coalesce(v.deposit_rate, 0), 0
    FROM newest_vault n
    CROSS JOIN LATERAL (${snapshotsAt('vault')}) s
    LEFT JOIN vault v ON v.chain_id = n.chain_id AND v.id = n.entity_id
    GROUP BY n.place, n.chain_id, n.entity_id, v.deposit_rate`
  const found: Holding[][] = users.map(() => [])
  for (const row of rows) found[row.place - 1]?.push(row)
  return found
}

/**
 * The snapshots at the place of a row `n` of `newest`. OFFSET 0 keeps the planner, which cannot know how few those rows
 * are, from reading the whole table instead.
 */
export function snapshotsAt(kind: EntityType): Prisma.Sql {
  return Prisma.sql`SELECT * FROM ${Prisma.raw(`${kind}_snapshot`)} t WHERE t.account_id = n.address
    AND t.chain_id = n.chain_id AND t.${Prisma.raw(kind)}_id = n.entity_id AND t.timestamp = n.timestamp OFFSET 0`
}

/** The newest timestamp of each owner in each entity, found by jumps along the key's index. */
export function newest(kind: EntityType, chainId: number | null): Prisma.Sql {
  const table = Prisma.raw(`${kind}_snapshot`)
  const entity = Prisma.raw(`${kind}_id`)
  const name = Prisma.raw(`newest_${kind}`)
  const onChain = chainId === null ? Prisma.empty : Prisma.sql`AND s.chain_id = ${chainId}::bigint`
  const order = Prisma.sql`ORDER BY s.chain_id DESC, s.${entity} DESC, s.timestamp DESC LIMIT 1`
  return Prisma.sql`${name} AS (
    SELECT owner.address, owner.place, first.* FROM owner CROSS JOIN LATERAL (
      SELECT s.chain_id, s.${entity} AS entity_id, s.timestamp FROM ${table} s
      WHERE s.account_id = owner.address ${onChain} ${order}) first
    UNION ALL
    SELECT n.address, n.place, next.* FROM ${name} n CROSS JOIN LATERAL (
      SELECT s.chain_id, s.${entity} AS entity_id, s.timestamp FROM ${table} s
      WHERE s.account_id = n.address AND (s.chain_id, s.${entity}) < (n.chain_id, n.entity_id) ${onChain} ${order}) next
  )`
}
