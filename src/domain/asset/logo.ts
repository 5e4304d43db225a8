import { sqlColumns } from 'pothos-sql'
import type { Queryable } from '../../db/write.ts'
import { Prisma } from '../../generated/prisma/client.ts'

// SQL of a logo that is shown: an image as data or an https link to one of these hosts. Any other
// is null, so that no page loads an image from a server that the operator does not allow.
const shownSql = (uri: string, hosts: readonly string[]): string => {
  const links = hosts.map((host) => `|https://${host.replaceAll('.', '[.]')}/`).join('')
  return `CASE WHEN ${uri} ~* '^(data:image/(png|webp|svg[+]xml)[;,]${links})' THEN ${uri} END`
}

/** The tokens of `tokens.jsonl` with their logos. Their links lead to these hosts only. */
export const tokenLogos = (hosts: readonly string[]) => ({
  from: Prisma.sql`token t`,
  columns: sqlColumns({
    chainId: { sql: 't.chain_id', type: 'integer' },
    address: { sql: 't.address', type: 'address' },
    logoUri: {
      sql: shownSql('t.logo_uri', hosts),
      type: 'text',
      nullable: true,
      description:
        'The logo, for the `src` of an image: an image as data (PNG, WebP or SVG, at most 8192 ' +
        'characters), or an https link to a host that the operator allows. Null if ' +
        '`tokens.jsonl` has none, or no such one.',
    },
  }),
})

const NAMED_HOSTS = 5

/** Sentences about the logos in the store that are not shown. */
export async function logoWarnings(client: Queryable, hosts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ host: string | null; logos: number }>(
    `SELECT lower(substring(t.logo_uri from '(?i)^https://([^/]+)/')) AS host,
      count(*)::int AS logos FROM token t
     WHERE t.logo_uri IS NOT NULL AND ${shownSql('t.logo_uri', hosts)} IS NULL GROUP BY 1
       ORDER BY 2 DESC, 1`,
  )
  const notShown = (of: typeof rows, why: string) => {
    const logos = of.reduce((sum, row) => sum + row.logos, 0)
    if (logos === 0) return []
    const subject = logos === 1 ? 'One logo is' : `${logos.toLocaleString('en-US')} logos are`
    return [`${subject} not shown: ${why}.`]
  }
  const links = rows.filter(({ host }) => host !== null)
  const named = links.slice(0, NAMED_HOSTS).map(({ host }) => host)
  const more = links.length > named.length ? ' and others' : ''
  return [
    ...notShown(links, `LOGO_HOSTS has no ${named.join(', ')}${more}`),
    ...notShown(
      rows.filter(({ host }) => host === null),
      'each must be an image as data (PNG, WebP or SVG) or an https link',
    ),
  ]
}
