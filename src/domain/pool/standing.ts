import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { lastDateSql } from '../standing/standing.ts'

/** The columns of a pool's totals as of a distribution date. */
export const poolStandingColumns = columnsOf(
  {},
  {
    date: { sql: 't.date', type: 'date', description: 'The distribution date, midnight UTC.' },
    poolAddress: { sql: 't.pool_address', type: 'address' },
    points: {
      sql: pointsOf('t.points'),
      type: 'decimal',
      description: "Points of the pool's positions over all distribution dates up to and including the date.",
    },
    pointsOfDate: {
      sql: pointsOf('t.points_of_date'),
      type: 'decimal',
      description: "Points of the pool's positions on the date.",
    },
    positionCount: {
      sql: 't.position_count',
      type: 'int',
      description: 'Number of positions on the date, one per account.',
    },
    suppliedUsd: {
      sql: 't.supplied_usd::float8',
      type: 'float',
      description: 'Borrowable supply on the date, in USD.',
    },
    protectedUsd: {
      sql: 't.protected_usd::float8',
      type: 'float',
      description: 'Protected (non-borrowable) supply on the date, in USD.',
    },
    tvlUsd: {
      sql: '(t.supplied_usd + t.protected_usd)::float8',
      type: 'float',
      description:
        'Total value locked on the date, in USD: borrowable plus protected supply, including what is lent out.',
    },
    borrowedUsd: { sql: 't.borrowed_usd::float8', type: 'float', description: 'Amount borrowed on the date, in USD.' },
  },
)

/** A pool's totals as of a distribution date. */
export type PoolStanding = RowOf<typeof poolStandingColumns>

const ofDate = (name: string, value: string, type = '') =>
  `coalesce(sum(${value}) FILTER (WHERE d.distribution_date = at.date), 0)${type} AS ${name}`
const sums = Prisma.raw(`sum(d.a_points + d.b_points) AS points,
  ${ofDate('points_of_date', 'd.a_points + d.b_points')}, ${ofDate('position_count', 'd.position_count', '::int')},
  ${['supplied', 'protected', 'borrowed'].map((what) => ofDate(`${what}_usd`, `${exact(`d.a_${what}_usd`)} + ${exact(`d.b_${what}_usd`)}`)).join(', ')}`)

/**
 * The FROM clause for `poolStandingColumns`: a pool's totals as of a date. No row without a position by then. Scans one
 * row per date of the pool.
 */
export const poolStandingSql = (pool: Prisma.Sql, asOf: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
  SELECT d.pool_address, at.date, ${sums} FROM (${lastDateSql(asOf)}) at
  JOIN pool_day d ON d.pool_address = ${pool} AND d.distribution_date <= at.date GROUP BY 1, 2) t`
