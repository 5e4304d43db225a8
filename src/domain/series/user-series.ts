import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { byUser } from '../../db/topology/by-user.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Groups, groupsOf, ownersOf } from '../holding/holding.ts'
import { pointsOf } from '../points/millionths.ts'
import { bucketOf, buckets, within } from './calendar.ts'
import type { Span } from './interval.ts'

/** A user's or a group's points in a bucket, and the number of positions on its last distribution date. */
export interface UserPoints {
  start: Date
  points: number
  positionCount: number
}

/** Each group's points in each bucket with any, from the accounts' days. */
export const userPoints = byUser(readPoints)

async function readPoints(reader: Reader, groups: Groups, span: Span): Promise<UserPoints[][]> {
  const statement = reader.topology.together({
    users: groups.flat(),
    tables: ['account_day'],
    ctes: buckets(span),
    select: Prisma.sql`SELECT wallets.ordinality::int AS ordinality, bucket.start, ${Prisma.raw(pointsOf('sum(d.points)'))} AS points,
      coalesce(sum(d.position_count) FILTER (WHERE d.distribution_date = bucket.last), 0)::int AS "positionCount"
    FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)}
    CROSS JOIN LATERAL (SELECT d.distribution_date, d.points, d.position_count FROM account_day d
      WHERE d.user_address = owner.address AND ${within(span, 'd.distribution_date')} OFFSET 0) d
    JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
    GROUP BY 1, 2`,
  })
  return byOrdinality(groups, await reader.$queryRaw<(UserPoints & { ordinality: number })[]>(statement))
}

/** A user's or a group's liquidation rewards in a bucket. A sum is 0 without rewards, and null if none of them has a price. */
export interface UserRewards {
  start: Date
  marketCount: number
  marketUsd: number | null
  vaultCount: number
  vaultUsd: number | null
}

const usdIf = (condition: string) => Prisma.raw(toDouble(`sum(${exact('r.usd')}) FILTER (WHERE ${condition})`))

/** Each group's liquidation rewards in each bucket with any. */
export const userRewards = byUser(readRewards)

async function readRewards(reader: Reader, groups: Groups, span: Span): Promise<UserRewards[][]> {
  const [from, to] = [span.starts[0], span.end].map((date) => Math.floor((date?.getTime() ?? 0) / 1000))
  const statement = reader.topology.together({
    users: groups.flat(),
    tables: ['market_liquidation_reward', 'vault_liquidation_reward'],
    select: Prisma.sql`SELECT wallets.ordinality::int AS ordinality, ${bucketOf(span.interval, "(to_timestamp(r.timestamp) AT TIME ZONE 'UTC')")} AS start,
      count(*) FILTER (WHERE r.market)::int AS "marketCount",
      CASE WHEN count(*) FILTER (WHERE r.market) = 0 THEN 0
        ELSE ${usdIf('r.market')} END AS "marketUsd",
      count(*) FILTER (WHERE NOT r.market)::int AS "vaultCount",
      CASE WHEN count(*) FILTER (WHERE NOT r.market) = 0 THEN 0
        ELSE ${usdIf('NOT r.market')} END AS "vaultUsd"
    FROM ${groupsOf(groups)} CROSS JOIN ${ownersOf(groups)}
    CROSS JOIN LATERAL (
      SELECT true AS market, m.timestamp, m.chain_id, m.tx_hash, m.log_index, m.liquid_reward_usd AS usd
      FROM market_liquidation_reward m
      WHERE m.user_address = owner.address AND m.timestamp >= ${from}::bigint AND m.timestamp < ${to}::bigint
      UNION ALL
      SELECT false, v.timestamp, v.chain_id, v.tx_hash, v.log_index, v.liquid_reward_usd FROM vault_liquidation_reward v
      WHERE v.user_address = owner.address AND v.timestamp >= ${from}::bigint AND v.timestamp < ${to}::bigint
      OFFSET 0) r
    GROUP BY 1, 2`,
  })
  return byOrdinality(groups, await reader.$queryRaw<(UserRewards & { ordinality: number })[]>(statement))
}

function byOrdinality<Row>(groups: Groups, rows: (Row & { ordinality: number })[]): Row[][] {
  const byGroup: Row[][] = groups.map(() => [])
  for (const row of rows) byGroup[row.ordinality - 1]?.push(row)
  return byGroup
}
