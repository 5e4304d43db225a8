import { selectList } from 'pothos-sql/host'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { CASH } from '../earnings/earnings.ts'
import { holdings, total, upTo } from '../holding/holding.ts'
import { ENTITY_WORTH, worthColumns } from '../holding/worth.ts'
import { bucketsOf, type Span } from './interval.ts'

const [value, cash] = ['t.value_usd', 't.cash'].map((name) => toDouble(total(name))) as [
  string,
  string,
]
const columns = {
  ...worthColumns,
  netCashInvestedUsd: { sql: `CASE WHEN sum(t.unknown) = 0 THEN ${cash} END` },
  earningsUsd: {
    sql: `CASE WHEN sum(t.unknown) = 0 AND NOT bool_or(t.unpriced)
      THEN ${toDouble(`${exact(value)} - ${exact(cash)}`)} END`,
  },
  pendingCashUsd: {
    sql: `CASE WHEN sum(t.pending_unknown) = 0 THEN ${toDouble('sum(t.pending_cash)')} END`,
  },
}

/**
 * A query of the worth and the earnings as of the end of each bucket, where there is a snapshot or
 * a cash flow by then. Value and cash are of the same moment: in each entity of an address, the
 * newest snapshot up to the end counts, and the cash flows up to that snapshot. `pendingCashUsd` is
 * of the cash flows after it. For each address, bucket and entity it looks up one snapshot; each
 * cash flow is read once.
 */
export function earningsByBucket(owners: Prisma.Sql, span: Span): Prisma.Sql {
  const holder = { owners, chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  const end = Prisma.sql`(${span.end}::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond')`
  const entity = Prisma.sql`user_address, chain_id, entity_type, entity_id`
  // The window adds up the cash flows so far, those of the same second included, for snapshots and
  // for ends of buckets.
  return Prisma.sql`WITH bucket AS MATERIALIZED (SELECT start, moment FROM ${bucketsOf(span)} b),
    flow AS MATERIALIZED (
      SELECT f.user_address, f.chain_id, f.entity_type::text, f.entity_id, f.timestamp,
        coalesce(${CASH}, 0) AS cash,
        (f.amount_usd IS NULL AND f.assets IS DISTINCT FROM 0)::int AS unknown
      FROM ${owners} CROSS JOIN LATERAL (
        SELECT * FROM cash_flow f
        WHERE f.user_address = owner.address ${upTo('f.timestamp', end)} OFFSET 0) f),
    snapshot AS (
      SELECT h.user_address, h.chain_id, h.entity_type, h.entity_id, h.timestamp, bucket.start,
        sum(h.deposit_usd) AS deposit_usd, sum(h.protected_usd) AS protected_usd,
        sum(h.debt_usd) AS debt_usd, bool_or(h.unpriced) AS unpriced
      FROM bucket CROSS JOIN LATERAL (${holdings(holder)}) h GROUP BY 1, 2, 3, 4, 5, 6),
    event AS (
      SELECT ${entity}, start, timestamp, deposit_usd, protected_usd, debt_usd, unpriced,
        timestamp IS NOT NULL AS held,
        coalesce(sum(cash) OVER so_far, 0) AS cash, coalesce(sum(unknown) OVER so_far, 0) AS unknown
      FROM (
        SELECT *, timestamp AS moment, NULL::numeric AS cash, NULL::int AS unknown FROM snapshot
        UNION ALL
        SELECT ${entity}, NULL, NULL, NULL, NULL, NULL, NULL, timestamp, cash, unknown FROM flow
        UNION ALL
        SELECT ${entity}, NULL, start, NULL, NULL, NULL, NULL,
          floor(extract(epoch FROM moment))::bigint, NULL, NULL
        FROM (SELECT DISTINCT ${entity} FROM flow) f CROSS JOIN bucket) e
      WINDOW so_far AS (PARTITION BY ${entity} ORDER BY moment))
    SELECT t.start, ${selectList(columns)} FROM (
      SELECT h.start, h.entity_type, ${ENTITY_WORTH}, ${HELD_CASH} AS cash,
        coalesce(sum(h.unknown) FILTER (WHERE h.held), 0) AS unknown,
        sum(CASE WHEN h.held THEN -h.cash ELSE h.cash END) AS pending_cash,
        sum(CASE WHEN h.held THEN -h.unknown ELSE h.unknown END) AS pending_unknown
      FROM event h WHERE h.start IS NOT NULL
      GROUP BY h.start, h.chain_id, h.entity_type, h.entity_id) t
    GROUP BY t.start`
}

const HELD_CASH = Prisma.raw(toDouble('coalesce(sum(h.cash) FILTER (WHERE h.held), 0)'))
