import type { Reader } from '../../db/connect/reader.ts'
import { readTogether } from '../../db/connect/sharding.ts'
import { selectList } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { CASH, type Earnings, earningsColumns } from '../earnings/earnings.ts'
import { type Groups, groupsOf, holdings, ownersOf, upTo } from '../holding/holding.ts'
import { moved, type Span } from './interval.ts'

const { entities: _, entityCount: __, ...totals } = earningsColumns

/** The total earnings as of the end of a bucket. */
export type EarningsBucket = Pick<Earnings, keyof typeof totals> & { start: Date }

/**
 * The total earnings of each group of addresses as of the end of each bucket, from the first with a snapshot or a cash flow.
 * For each address, bucket, and market or vault it looks up one snapshot; each cash flow is read once.
 */
export async function earningsSeries(
  reader: Reader,
  groups: Groups,
  { interval, starts }: Span,
): Promise<EarningsBucket[][]> {
  const found: EarningsBucket[][] = groups.map(() => [])
  if (starts.length === 0) return found
  const ends = starts.map((start) => new Date(moved(interval, start, 1).getTime() - 1).toISOString())
  const seconds = starts.map((start) => String(start.getTime() / 1000))
  const holder = { owners: ownersOf(groups), chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  const entity = Prisma.sql`chain_id, entity_type, entity_id`
  const statement = Prisma.sql`WITH bucket AS MATERIALIZED (SELECT * FROM unnest(${ends}::timestamptz[]) WITH ORDINALITY AS bucket(moment, n)),
    held AS (
      SELECT wallets.ordinality AS owner, bucket.n, h.* FROM ${groupsOf(groups)} CROSS JOIN bucket
      CROSS JOIN LATERAL (${holdings(holder)}) h),
    flow AS (
      SELECT wallets.ordinality AS owner, greatest(width_bucket(f.timestamp, ${seconds}::bigint[]), 1) AS n,
        f.chain_id, f.entity_type::text, f.entity_id, sum(${CASH}) AS cash, bool_or(f.amount_usd IS NULL) AS incomplete
      FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)} CROSS JOIN LATERAL (SELECT * FROM cash_flow f
        WHERE f.account_id = owner.address ${upTo('f.timestamp', Prisma.sql`${ends.at(-1)}::timestamptz`)} OFFSET 0) f
      GROUP BY 1, 2, 3, 4, 5),
    invested AS (
      SELECT owner, n, ${entity}, coalesce(sum(flow.cash) OVER so_far, 0) AS cash,
        coalesce(bool_or(flow.incomplete) OVER so_far, false) AS incomplete
      FROM (SELECT owner, ${entity}, min(n) AS first FROM flow GROUP BY 1, 2, 3, 4) e JOIN bucket ON bucket.n >= e.first
      LEFT JOIN flow USING (owner, ${entity}, n) WINDOW so_far AS (PARTITION BY owner, ${entity} ORDER BY n))
    SELECT t.owner::int, t.n::int, ${selectList(totals)} FROM (
      SELECT owner, n, sum(value)::float8 AS current_value_usd, sum(cash)::float8 AS net_cash_invested_usd,
        bool_or(incomplete) AS incomplete
      FROM (SELECT owner, n, ${entity}, deposit_usd + protected_usd - debt_usd AS value, 0::numeric AS cash, incomplete FROM held
        UNION ALL SELECT owner, n, ${entity}, 0, cash, incomplete FROM invested) b
      GROUP BY owner, n, ${entity}) t GROUP BY 1, 2`
  const rows = await readTogether<(EarningsBucket & { owner: number; n: number })[]>(reader, groups.flat(), statement)
  for (const { owner, n, ...row } of rows) found[owner - 1]?.push({ ...row, start: starts[n - 1] as Date })
  return found
}
