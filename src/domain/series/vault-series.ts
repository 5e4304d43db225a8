import type { Reader } from '../../db/connect/reader.ts'
import { selectList } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type VaultTotals, vaultTotalsColumns } from '../vault/totals.ts'
import { extentOf, moved, type Span, sqlDate } from './interval.ts'

export interface VaultKey {
  chainId: bigint
  id: string
}

const { start: _, ...columns } = vaultTotalsColumns
const UNKNOWN = Object.fromEntries(Object.keys(columns).map((name) => [name, null])) as unknown as VaultTotals

/** Each vault's totals at the end of every bucket of a span. Its cost is one look-up for each vault and bucket. */
export async function vaultSeries(
  reader: Reader,
  vaults: readonly VaultKey[],
  { interval, starts }: Span,
): Promise<VaultTotals[][]> {
  const ends = starts.map((start) => sqlDate(moved(interval, start, 1)))
  const rows = await reader.$queryRaw<(VaultTotals & { owner: number; bucket: number })[]>`
    SELECT v.ordinality::int AS owner, b.ordinality::int AS bucket, ${selectList(columns)}
    FROM unnest(${vaults.map(({ chainId }) => String(chainId))}::bigint[], ${vaults.map(({ id }) => id)}::text[])
      WITH ORDINALITY AS v(chain_id, id, ordinality)
    JOIN vault t ON t.chain_id = v.chain_id AND t.id = v.id
    CROSS JOIN unnest(${ends}::date[]) WITH ORDINALITY AS b(until, ordinality)
    CROSS JOIN LATERAL (SELECT * FROM vault_day n WHERE n.chain_id = v.chain_id AND n.vault_id = v.id AND n.date < b.until
      ORDER BY n.date DESC LIMIT 1) d`
  const byVault = vaults.map(() => starts.map((start): VaultTotals => ({ ...UNKNOWN, start })))
  for (const { owner, bucket, ...totals } of rows) Object.assign(byVault[owner - 1]?.[bucket - 1] ?? {}, totals)
  return byVault
}

/** The range of the totals of vaults: up to the newest distribution date, or to a later snapshot of any vault. */
export const vaultDates = extentOf(
  Prisma.sql`SELECT min(date) AS first, greatest(max(date), (SELECT max(date) FROM distribution)) AS newest FROM vault_day`,
)
