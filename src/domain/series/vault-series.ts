import { sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { vaultTotalsColumns } from '../vault/totals.ts'
import { bucketsOf, type Extent, type Span } from './interval.ts'

/** A vault's totals at the end of a bucket. All are null before its first snapshot. */
export const vaultBucketColumns = sqlColumns({
  ...vaultTotalsColumns,
  start: { ...vaultTotalsColumns.start, sql: 'bucket.start' },
})

/** The FROM clause for `vaultBucketColumns`. Its cost is one look-up for each bucket. */
export const vaultSeriesFrom = (
  chainId: Prisma.Sql,
  address: Prisma.Sql,
  span: Span,
): Prisma.Sql => Prisma.sql`
  FROM ${bucketsOf(span)} bucket
  LEFT JOIN LATERAL (SELECT * FROM vault_day n
    WHERE n.chain_id = ${chainId} AND n.vault_id = ${address}
    AND n.date < bucket.until ORDER BY n.date DESC LIMIT 1) d ON true
  LEFT JOIN vault t ON t.chain_id = d.chain_id AND t.id = d.vault_id`

/**
 * The range of the totals of vaults: up to the newest distribution date, or to a later snapshot of
 * any vault.
 */
export const vaultDates: Extent = Prisma.sql`
  SELECT min(date)::timestamp AS first,
    greatest(max(date), (SELECT max(date) FROM distribution))::timestamp AS newest
  FROM vault_day`
