import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { lastDateSql } from '../standing/standing.ts'

/** What a pool's positions add up to as of a distribution date. */
export interface PoolStanding {
  poolAddress: string
  /** Midnight UTC. */
  date: Date
  /** Over all dates up to it. */
  points: number
  pointsOfDate: number
  positionCount: number
  suppliedUsd: number
  protectedUsd: number
  /** Supplied and protected. */
  tvlUsd: number
  borrowedUsd: number
}

/** What a pool's standing is in SQL. */
export const poolStandingColumns = {
  date: 't.date',
  poolAddress: 't.pool_address',
  points: pointsOf('t.points'),
  pointsOfDate: pointsOf('t.points_of_date'),
  positionCount: 't.position_count',
  suppliedUsd: 't.supplied_usd::float8',
  protectedUsd: 't.protected_usd::float8',
  tvlUsd: '(t.supplied_usd + t.protected_usd)::float8',
  borrowedUsd: 't.borrowed_usd::float8',
}

const ofDate = (name: string, value: string, type = '') =>
  `coalesce(sum(${value}) FILTER (WHERE d.distribution_date = at.date), 0)${type} AS ${name}`
const sums = Prisma.raw(`sum(d.a_points + d.b_points) AS points,
  ${ofDate('points_of_date', 'd.a_points + d.b_points')}, ${ofDate('position_count', 'd.position_count', '::int')},
  ${['supplied', 'protected', 'borrowed'].map((what) => ofDate(`${what}_usd`, `${exact(`d.a_${what}_usd`)} + ${exact(`d.b_${what}_usd`)}`)).join(', ')}`)

/**
 * What follows a select list of `poolStandingColumns`: a pool's sums as of a date; no row without a position by then. Its
 * work is a row for each date of the pool.
 */
export const poolStandingSql = (pool: Prisma.Sql, asOf: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
  SELECT d.pool_address, at.date, ${sums} FROM (${lastDateSql(asOf)}) at
  JOIN pool_day d ON d.pool_address = ${pool} AND d.distribution_date <= at.date GROUP BY 1, 2) t`
