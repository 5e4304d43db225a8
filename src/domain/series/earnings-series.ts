import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { selectList } from '../../db/lists/listing.ts'
import { byUser } from '../../db/topology/by-user.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { CASH } from '../earnings/earnings.ts'
import { type Groups, groupsOf, holdings, ownersOf, tablesOfHoldings, total, upTo } from '../holding/holding.ts'
import { ENTITY_WORTH, type Worth, worthColumns } from '../holding/worth.ts'
import { endsOf, type Span } from './interval.ts'

/** The worth and the earnings as of the end of a bucket. An amount that depends on a missing price is null. */
export interface EarningsBucket {
  start: Date
  /** By the newest snapshots up to the end. Null before the first of them. */
  worth: Worth | null
  /** By the cash flows up to those snapshots. */
  netCashInvestedUsd: number | null
  earningsUsd: number | null
  /** By the cash flows after those snapshots, up to the end. */
  pendingCashUsd: number | null
}

const [value, cash] = ['t.value_usd', 't.cash'].map((name) => toDouble(total(name))) as [string, string]
const columns = {
  ...worthColumns,
  netCashInvestedUsd: { sql: `CASE WHEN sum(t.unknown) = 0 THEN ${cash} END` },
  earningsUsd: {
    sql: `CASE WHEN sum(t.unknown) = 0 AND NOT bool_or(t.unpriced) THEN ${toDouble(`${exact(value)} - ${exact(cash)}`)} END`,
  },
  pendingCashUsd: { sql: `CASE WHEN sum(t.pending_unknown) = 0 THEN ${toDouble('sum(t.pending_cash)')} END` },
}

/**
 * The worth and the earnings of each group of addresses as of the end of each bucket, where there is a snapshot or a cash flow by
 * then. Value and cash are of the same moment: in each entity of an address, the newest snapshot up to the end counts, and the cash
 * flows up to that snapshot. For each address, bucket and entity it looks up one snapshot; each cash flow is read once.
 */
export const earningsSeries = byUser(readSeries)

async function readSeries(reader: Reader, groups: Groups, span: Span): Promise<EarningsBucket[][]> {
  const byGroup: EarningsBucket[][] = groups.map(() => [])
  const { starts } = span
  if (starts.length === 0) return byGroup
  const ends = endsOf(span)
  const holder = { owners: ownersOf(groups), chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  const entity = Prisma.sql`owner, user_address, chain_id, entity_type, entity_id`
  // The window adds up the cash flows so far, those of the same second included, for snapshots and for ends of buckets.
  const ctes = Prisma.sql`bucket AS MATERIALIZED (SELECT * FROM unnest(${ends}::timestamptz[]) WITH ORDINALITY AS bucket(moment, n)),
    flow AS MATERIALIZED (
      SELECT wallets.ordinality AS owner, f.user_address, f.chain_id, f.entity_type::text, f.entity_id, f.timestamp,
        coalesce(${CASH}, 0) AS cash, (f.amount_usd IS NULL AND f.assets IS DISTINCT FROM 0)::int AS unknown
      FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)} CROSS JOIN LATERAL (SELECT * FROM cash_flow f
        WHERE f.user_address = owner.address ${upTo('f.timestamp', Prisma.sql`${ends.at(-1)}::timestamptz`)} OFFSET 0) f),
    snapshot AS (
      SELECT wallets.ordinality AS owner, h.user_address, h.chain_id, h.entity_type, h.entity_id, h.timestamp, bucket.n,
        sum(h.deposit_usd) AS deposit_usd, sum(h.protected_usd) AS protected_usd, sum(h.debt_usd) AS debt_usd,
        bool_or(h.unpriced) AS unpriced
      FROM ${groupsOf(groups)} CROSS JOIN bucket CROSS JOIN LATERAL (${holdings(holder)}) h GROUP BY 1, 2, 3, 4, 5, 6, 7),
    event AS (
      SELECT ${entity}, n, timestamp, deposit_usd, protected_usd, debt_usd, unpriced, timestamp IS NOT NULL AS held,
        coalesce(sum(cash) OVER so_far, 0) AS cash, coalesce(sum(unknown) OVER so_far, 0) AS unknown
      FROM (SELECT *, timestamp AS moment, NULL::numeric AS cash, NULL::int AS unknown FROM snapshot
        UNION ALL SELECT ${entity}, NULL, NULL, NULL, NULL, NULL, NULL, timestamp, cash, unknown FROM flow
        UNION ALL SELECT ${entity}, NULL, n, NULL, NULL, NULL, NULL, floor(extract(epoch FROM moment))::bigint, NULL, NULL
          FROM (SELECT DISTINCT ${entity} FROM flow) f CROSS JOIN bucket) e
      WINDOW so_far AS (PARTITION BY ${entity} ORDER BY moment))`
  const select = Prisma.sql`SELECT t.owner::int, t.n::int, ${selectList(columns)} FROM (
      SELECT h.owner, h.n, h.entity_type, ${ENTITY_WORTH}, ${HELD_CASH} AS cash,
        coalesce(sum(h.unknown) FILTER (WHERE h.held), 0) AS unknown,
        sum(CASE WHEN h.held THEN -h.cash ELSE h.cash END) AS pending_cash,
        sum(CASE WHEN h.held THEN -h.unknown ELSE h.unknown END) AS pending_unknown
      FROM event h WHERE h.n IS NOT NULL GROUP BY h.owner, h.n, h.chain_id, h.entity_type, h.entity_id) t
    GROUP BY t.owner, t.n`
  const tables = [...tablesOfHoldings(holder.asOf), 'cash_flow'] as const
  const statement = reader.topology.together({ users: groups.flat(), tables, ctes, select })
  const rows = await reader.$queryRaw<Row[]>(statement)
  for (const row of rows) byGroup[row.owner - 1]?.push(bucketOf(row, starts[row.n - 1] as Date))
  return byGroup
}

const HELD_CASH = Prisma.raw(toDouble('coalesce(sum(h.cash) FILTER (WHERE h.held), 0)'))

type Row = Worth & Omit<EarningsBucket, 'start' | 'worth'> & { owner: number; n: number }

/** Without a snapshot there is nothing to count cash flows up to. */
function bucketOf({ owner: _, n: __, netCashInvestedUsd, earningsUsd, pendingCashUsd, ...worth }: Row, start: Date) {
  return worth.time === null
    ? { start, worth: null, netCashInvestedUsd: null, earningsUsd: null, pendingCashUsd }
    : { start, worth, netCashInvestedUsd, earningsUsd, pendingCashUsd }
}
