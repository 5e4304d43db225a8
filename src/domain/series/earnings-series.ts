import { selectList } from 'pothos-sql/host'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { CASH } from '../earnings/earnings.ts'
import {
  amountsHeld,
  EARNED_COLUMNS,
  earnedUntil,
  FLOWS,
  LIQUIDATIONS,
  NET_CASH,
  profitColumns,
  profitOfSums,
  REWARDS,
} from '../earnings/profit.ts'
import { holdings, total, upTo } from '../holding/holding.ts'
import { ENTITY_WORTH, worthColumns } from '../holding/worth.ts'
import { bucketsOf, type Span } from './interval.ts'

const [value, cash] = ['t.value_usd', 't.cash'].map((name) => toDouble(total(name))) as [
  string,
  string,
]
const ENTITY = Prisma.sql`user_address, chain_id, entity_type, entity_id`
const lastMoment = ({ end }: Span) =>
  Prisma.sql`(${end}::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond')`

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
  // The window adds up the cash flows so far, those of the same second included, for snapshots and
  // for ends of buckets.
  return Prisma.sql`WITH bucket AS MATERIALIZED (SELECT start, moment FROM ${bucketsOf(span)} b),
    flow AS MATERIALIZED (
      SELECT f.user_address, f.chain_id, f.entity_type::text, f.entity_id, f.timestamp,
        coalesce(${CASH}, 0) AS cash,
        (f.amount_usd IS NULL AND f.assets IS DISTINCT FROM 0)::int AS unknown
      FROM ${owners} CROSS JOIN LATERAL (
        SELECT * FROM cash_flow f
        WHERE f.user_address = owner.address ${upTo('f.timestamp', lastMoment(span))} OFFSET 0) f),
    snapshot AS (
      SELECT h.user_address, h.chain_id, h.entity_type, h.entity_id, h.timestamp, bucket.start,
        sum(h.deposit_usd) AS deposit_usd, sum(h.protected_usd) AS protected_usd,
        sum(h.debt_usd) AS debt_usd, bool_or(h.unpriced) AS unpriced
      FROM bucket CROSS JOIN LATERAL (${holdings(holder)}) h GROUP BY 1, 2, 3, 4, 5, 6),
    event AS (
      SELECT ${ENTITY}, start, timestamp, deposit_usd, protected_usd, debt_usd, unpriced,
        timestamp IS NOT NULL AS held,
        coalesce(sum(cash) OVER so_far, 0) AS cash, coalesce(sum(unknown) OVER so_far, 0) AS unknown
      FROM (
        SELECT *, timestamp AS moment, NULL::numeric AS cash, NULL::int AS unknown FROM snapshot
        UNION ALL
        SELECT ${ENTITY}, NULL, NULL, NULL, NULL, NULL, NULL, timestamp, cash, unknown FROM flow
        UNION ALL
        SELECT ${ENTITY}, NULL, start, NULL, NULL, NULL, NULL,
          floor(extract(epoch FROM moment))::bigint, NULL, NULL
        FROM (SELECT DISTINCT ${ENTITY} FROM flow) f CROSS JOIN bucket) e
      WINDOW so_far AS (PARTITION BY ${ENTITY} ORDER BY moment))
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

const list = (names: readonly string[], item = (name: string) => name) =>
  Prisma.raw(names.map(item).join(', '))
// Records of a kind have some of the terms; the others are 0.
const termsOf = (names: readonly string[]) => (name: string) =>
  names.includes(name) ? name : `0 AS ${name}`
const HELD = ['supply', 'debt', 'supply_assets', 'debt_assets', 'priced_usd', 'priced_assets']
const RECORDS = [...NET_CASH, ...LIQUIDATIONS]
const SUMMED = [...EARNED_COLUMNS, 'priced_usd', 'priced_assets']

/**
 * A query of the profit and its parts as of the end of each bucket, where there is a snapshot by
 * then. For each address, bucket and entity it looks up one snapshot; each record is read once.
 */
export function profitByBucket(owners: Prisma.Sql, span: Span): Prisma.Sql {
  const holder = { owners, chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  const sums = Prisma.sql`SELECT e.start, e.moment, e.chain_id, e.entity_type, e.entity_id,
      bool_or(e.unvalued) AS unvalued, ${list(SUMMED, (name) => `sum(e.${name}) AS ${name}`)}
    FROM (
      SELECT e.start, e.moment, ${ENTITY}, e.unvalued, e.priced_usd, e.priced_assets,
        ${earnedUntil('e', 'e', 'e')}
      FROM so_far e WHERE e.start IS NOT NULL) e
    GROUP BY 1, 2, 3, 4, 5`
  return Prisma.sql`WITH record AS (
      SELECT r.* FROM ${owners} CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT ${ENTITY}, timestamp, ${list(RECORDS, termsOf(NET_CASH))} FROM (${FLOWS}) f
          UNION ALL
          SELECT ${ENTITY}, timestamp, ${list(RECORDS, termsOf(LIQUIDATIONS))}
          FROM (${REWARDS}) l) r
        WHERE r.user_address = owner.address ${upTo('r.timestamp', lastMoment(span))} OFFSET 0) r),
    snapshot AS (
      SELECT h.*, bucket.start, bucket.moment
      FROM ${bucketsOf(span)} bucket CROSS JOIN LATERAL (${amountsHeld(holder)}) h),
    so_far AS (
      SELECT ${ENTITY}, start, moment, unvalued, ${list(HELD)},
        ${list(RECORDS, (name) => `coalesce(sum(${name}) OVER so_far, 0) AS ${name}`)}
      FROM (
        SELECT ${ENTITY}, timestamp, start, moment, unvalued, ${list(HELD)},
          ${list(RECORDS, (name) => `NULL AS ${name}`)} FROM snapshot
        UNION ALL
        SELECT user_address, chain_id, entity_type::text, entity_id, timestamp, NULL, NULL, NULL,
          ${list(HELD, () => 'NULL')}, ${list(RECORDS)} FROM record
      ) e
      WINDOW so_far AS (PARTITION BY ${ENTITY} ORDER BY timestamp))
    SELECT t.start, ${selectList(profitColumns)}
    FROM (${profitOfSums(sums, Prisma.raw('b.moment'))}) t
    GROUP BY t.start`
}
