import type { Reader } from '../../db/connect/reader.ts'
import { readTogether } from '../../db/connect/sharding.ts'
import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Groups, groupsOf, ownersOf } from '../holding/holding.ts'
import { pointsOf } from '../points/millionths.ts'
import { bucketOf, buckets, within } from './calendar.ts'
import type { Span } from './interval.ts'
import type { Levels } from './pool-series.ts'

/** A user's or a group's points in a bucket. */
export interface UserPoints {
  start: Date
  points: number
}

/** Each group's points in each bucket with any, from the accounts' days. */
export async function userPoints(reader: Reader, groups: Groups, span: Span): Promise<UserPoints[][]> {
  const rows = await readTogether<(UserPoints & { ordinality: number })[]>(
    reader,
    groups.flat(),
    Prisma.sql`SELECT wallets.ordinality::int AS ordinality, ${bucketOf(span.interval, 'd.distribution_date')} AS start,
      ${Prisma.raw(pointsOf('sum(d.points)'))} AS points
    FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)}
    CROSS JOIN LATERAL (SELECT d.distribution_date, d.points FROM account_day d WHERE d.user_address = owner.address
      AND ${within(span, 'd.distribution_date')} OFFSET 0) d
    GROUP BY 1, 2`,
  )
  return byOrdinality(groups, rows)
}

/** The levels of users. */
export interface UserLevels extends Levels {
  /** Supplied and protected minus borrowed. */
  netWorthUsd: number
}

/** The sum of both sides of positions `p`. */
const sumOfSides = (what: string) => {
  const side = (of: string) => exact(`p.${of}_${what}_amount_usd`)
  return `sum(${side('a')} + ${side('b')})`
}
const [supplied, secured, borrowed] = ['supplied', 'protected_supplied', 'borrowed'].map(sumOfSides)

/** Each group's levels on the last distribution date of each bucket, if a user had a position on it. */
export async function userLevels(reader: Reader, groups: Groups, span: Span): Promise<UserLevels[][]> {
  const rows = await readTogether<(UserLevels & { ordinality: number })[]>(
    reader,
    groups.flat(),
    Prisma.sql`WITH ${buckets(span)}
    SELECT wallets.ordinality::int AS ordinality, bucket.start, count(*)::int AS "positionCount",
      ${Prisma.raw(`(${supplied})::float8 AS "suppliedUsd", (${secured})::float8 AS "protectedUsd",
      (${borrowed})::float8 AS "borrowedUsd", (${supplied} + ${secured})::float8 AS "tvlUsd",
      (${supplied} + ${secured} - ${borrowed})::float8 AS "netWorthUsd"`)}
    FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)}
    CROSS JOIN bucket
    CROSS JOIN LATERAL (SELECT * FROM position p WHERE p.user_address = owner.address
      AND p.distribution_date = bucket.last OFFSET 0) p
    GROUP BY 1, 2`,
  )
  return byOrdinality(groups, rows)
}

/** A user's or a group's liquidation rewards in a bucket. A sum is 0 without rewards, and null if none of them has a price. */
export interface UserRewards {
  start: Date
  marketCount: number
  marketUsd: number | null
  vaultCount: number
  vaultUsd: number | null
}

const USD_IF = Prisma.raw(`(sum(${exact('r.usd')}) FILTER`)

/** Each group's liquidation rewards in each bucket with any. */
export async function userRewards(reader: Reader, groups: Groups, span: Span): Promise<UserRewards[][]> {
  const [from, to] = [span.starts[0], span.end].map((date) => Math.floor((date?.getTime() ?? 0) / 1000))
  const rows = await readTogether<(UserRewards & { ordinality: number })[]>(
    reader,
    groups.flat(),
    Prisma.sql`SELECT wallets.ordinality::int AS ordinality, ${bucketOf(span.interval, "(to_timestamp(r.timestamp) AT TIME ZONE 'UTC')")} AS start,
      count(*) FILTER (WHERE r.market)::int AS "marketCount",
      CASE WHEN count(*) FILTER (WHERE r.market) = 0 THEN 0
        ELSE ${USD_IF} (WHERE r.market))::float8 END AS "marketUsd",
      count(*) FILTER (WHERE NOT r.market)::int AS "vaultCount",
      CASE WHEN count(*) FILTER (WHERE NOT r.market) = 0 THEN 0
        ELSE ${USD_IF} (WHERE NOT r.market))::float8 END AS "vaultUsd"
    FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)}
    CROSS JOIN LATERAL (
      SELECT true AS market, m.timestamp, m.chain_id, m.tx_hash, m.log_index, m.liquid_reward_usd AS usd
      FROM market_liquidation_reward m
      WHERE m.account_id = owner.address AND m.timestamp >= ${from}::bigint AND m.timestamp < ${to}::bigint
      UNION ALL
      SELECT false, v.timestamp, v.chain_id, v.tx_hash, v.log_index, v.liquid_reward_usd FROM vault_liquidation_reward v
      WHERE v.account_id = owner.address AND v.timestamp >= ${from}::bigint AND v.timestamp < ${to}::bigint
      OFFSET 0) r
    GROUP BY 1, 2`,
  )
  return byOrdinality(groups, rows)
}

function byOrdinality<Row>(groups: Groups, rows: (Row & { ordinality: number })[]): Row[][] {
  const found: Row[][] = groups.map(() => [])
  for (const row of rows) found[row.ordinality - 1]?.push(row)
  return found
}
