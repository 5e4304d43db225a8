import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { range } from '../../db/lists/filter.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'

const columns = columnsOf(Prisma.AccountDayScalarFieldEnum, {
  userAddress: { type: 'address' },
  distributionDate: { type: 'date', field: 'date', description: 'The distribution date.', sort: true },
  points: {
    ...pointsColumn('t.points'),
    description: "The user's points on that date.",
    sort: true,
  },
  positionCount: {
    type: 'int',
    description: "Number of the user's positions on that date.",
    filter: true,
    sort: true,
  },
})

/** An account's points on one distribution date. */
export type AccountDay = RowOf<typeof columns>

/** An account's points by distribution date, oldest first. */
export const accountDays = listing({
  name: 'dailyPoints',
  from: Prisma.sql`account_day t`,
  columns,
  order: { distributionDate: 'ASC' },
  filters: {
    date: range(columns.distributionDate, 'Only distribution dates in this range.'),
    points: range({ sql: doubleOf('t.points'), type: 'float' }, 'Only dates whose points are in this range.'),
  },
})

/**
 * The users with the most points in a pool on a distribution date, at most `first`, with points in millionths. Scans
 * the pool's positions on that date.
 * @param pool SQL of the pool's address
 * @param date YYYY-MM-DD. Null means the newest date on which the pool has positions
 */
export function topUsersSql(pool: Prisma.Sql, first: number, date: string | null): Prisma.Sql {
  return Prisma.sql`SELECT p.user_address, p.market_address, p.distribution_date, p.points_a + p.points_b AS points
    FROM position p WHERE p.pool_key = (SELECT key FROM pool WHERE id = ${pool}) AND p.distribution_date = (
      SELECT coalesce(${date}::date, (SELECT max(d.distribution_date) FROM pool_day d WHERE d.pool_address = ${pool})))
    ORDER BY points DESC, p.user_address LIMIT ${first}`
}
