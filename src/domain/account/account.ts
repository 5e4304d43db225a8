import type { Listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

/** An address with at least one stored position: its points over all dates, and its place on the leaderboard. */
export interface Account {
  userAddress: string
  points: number
  rank: number
  positionCount: number
  firstDistributionDate: Date
  lastDistributionDate: Date
}

/** Accounts by rank: most points first, then by address. */
export const leaderboard: Listing<Account> = {
  name: 'leaderboard',
  from: Prisma.sql`account t`,
  columns: {
    userAddress: 't.user_address',
    points: pointsOf('t.points'),
    rank: 't.rank',
    positionCount: 't.position_count',
    firstDistributionDate: 't.first_distribution_date',
    lastDistributionDate: 't.last_distribution_date',
  },
  order: [{ column: 't.rank', field: 'rank', type: 'int', direction: 'ASC' }],
}

/** An account's points on one distribution date. */
export interface AccountDay {
  userAddress: string
  distributionDate: Date
  points: number
  positionCount: number
}

/** One account's days, oldest first. */
export const accountDays: Listing<AccountDay> = {
  name: 'dailyPoints',
  from: Prisma.sql`account_day t`,
  columns: {
    userAddress: 't.user_address',
    distributionDate: 't.distribution_date',
    points: pointsOf('t.points'),
    positionCount: 't.position_count',
  },
  order: [{ column: 't.distribution_date', field: 'distributionDate', type: 'date', direction: 'ASC' }],
}

/**
 * The accounts with the most points in a pool on a distribution date (null: the newest on which the pool has positions),
 * at most `first`. Its work is that of the pool's positions on that date.
 * Their points are in millionths.
 * @param pool SQL of the pool's address
 */
export function topAccountsSql(pool: Prisma.Sql, first: number, date: string | null): Prisma.Sql {
  return Prisma.sql`SELECT p.user_address, p.market_address, p.distribution_date, pp.points_a + pp.points_b AS points
    FROM (SELECT coalesce(${date}::date, (SELECT p.distribution_date FROM position p
      WHERE p.market_address = ${pool} ORDER BY p.distribution_date DESC LIMIT 1)) AS date) day
    CROSS JOIN LATERAL (SELECT * FROM position p
      WHERE p.market_address = ${pool} AND p.distribution_date = day.date OFFSET 0) p
    JOIN position_points pp USING (distribution_date, user_address, market_address)
    ORDER BY points DESC, p.user_address LIMIT ${first}`
}
