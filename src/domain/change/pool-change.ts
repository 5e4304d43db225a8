import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { type Amount, ofBothSides, sumOfDays } from '../pool/amounts.ts'
import { SINCE, sinceSql } from './since.ts'

const usdChange = (amounts: Amount[], what: string) => {
  const [now, past] = ['now', 'past'].map((row) =>
    amounts.flatMap((amount) => ofBothSides(amount, row)),
  )
  return {
    sql: sumOfDays(now ?? [], past),
    type: 'float',
    description: `Change of ${what}, in USD.`,
  } as const
}

/**
 * The change of a pool between two distribution dates. An amount is 0 on a date without a position.
 */
export const poolChangeColumns = sqlColumns({
  since: SINCE,
  points: {
    sql: pointsOf(`coalesce((SELECT sum(d.a_points + d.b_points) FROM pool_day d
        WHERE d.pool_address = t.address AND d.distribution_date > t.since), 0)`),
    type: 'decimal',
    description: "The points of the pool's positions after `since`.",
  },
  positionCount: {
    sql: 'coalesce(now.position_count, 0) - coalesce(past.position_count, 0)',
    type: 'int',
    description: 'Change of the number of positions, one per user.',
  },
  suppliedUsd: usdChange(['supplied'], 'the borrowable supply'),
  protectedUsd: usdChange(['protected'], 'the protected (non-borrowable) supply'),
  tvlUsd: usdChange(['supplied', 'protected'], 'the total value locked'),
  borrowedUsd: usdChange(['borrowed'], 'the amount borrowed'),
})

export type PoolChange = RowOf<typeof poolChangeColumns>

/**
 * The FROM clause for `poolChangeColumns`. No row without a distribution date so many days before
 * the newest one.
 */
export const poolChangeSql = (pool: Prisma.Sql, days: Prisma.Sql): Prisma.Sql => Prisma.sql`
  FROM (SELECT ${pool} AS address, d.* FROM (${sinceSql(days)}) d) t
  LEFT JOIN pool_day now ON now.pool_address = t.address AND now.distribution_date = t.newest
  LEFT JOIN pool_day past ON past.pool_address = t.address AND past.distribution_date = t.since`
