import { type RowOf, sqlColumns } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import { Prisma } from '../../generated/prisma/client.ts'
import { addPoints, pointsOf } from '../points/millionths.ts'
import { lastDates } from '../series/calendar.ts'
import type { Span } from '../series/interval.ts'
import { lastDateSql } from './leaderboard.ts'

/**
 * While ranks are being recomputed, points are summed from the user's dates and the rank is null.
 */
export const rankColumns = sqlColumns({
  date: { sql: 'at.date', type: 'date' },
  points: {
    sql: pointsOf(`coalesce(CASE WHEN at.newest THEN a.points WHEN at.ready THEN s.points
    ELSE (SELECT sum(d.points) FROM account_day d
      WHERE d.user_address = who.address AND d.distribution_date <= at.date) END, 0)`),
    type: 'decimal',
  },
  rank: {
    sql: 'CASE WHEN at.newest THEN a.rank WHEN at.ready THEN s.rank END',
    type: 'int',
    nullable: true,
  },
})

/** A user's total points up to and including a distribution date, and the rank as of it. */
export type RankedPoints = RowOf<typeof rankColumns>

// The FROM clause for `rankColumns`, with a row for each of `dates` from the user's first
// distribution date on. Each table is read by the address of `who`, which names the server with the
// rows if they are spread over several.
const fromRanks = (who: Prisma.Sql, dates: Prisma.Sql) => Prisma.sql`FROM ${who}
  LEFT JOIN (account a JOIN (SELECT date, date = (SELECT max(date) FROM distribution) AS newest,
      EXISTS (SELECT FROM rank_history_date s WHERE s.date = dates.date) AS ready
      FROM ${dates} dates) at
    ON at.date >= a.first_distribution_date) ON a.user_address = who.address
  LEFT JOIN LATERAL (SELECT * FROM rank_history s
    WHERE at.ready AND NOT at.newest AND s.distribution_date = at.date
    AND s.user_address = who.address OFFSET 0) s ON true`

/**
 * The FROM clause for `rankColumns`: a user's points and rank as of a date, or now if it is null.
 * One row, of 0 points without a position by then.
 */
export const rankAsOfSql = (user: Prisma.Sql, asOf: Prisma.Sql): Prisma.Sql =>
  fromRanks(
    Prisma.sql`(SELECT ${user} AS address) who`,
    Prisma.sql`(${lastDateSql(Prisma.sql`coalesce(${asOf}, 'infinity')`)})`,
  )

/** The points of users together, and the best of their ranks. */
export function together(
  all: Pick<RankedPoints, 'points' | 'rank'>[],
): Pick<RankedPoints, 'points' | 'rank'> {
  const ranks = all.flatMap(({ rank }) => rank ?? [])
  return {
    points: addPoints(all.map(({ points }) => points)),
    rank: ranks.length > 0 ? Math.min(...ranks) : null,
  }
}

/**
 * A query of the points of users together, and the best of their ranks, on the last distribution
 * date of each bucket.
 */
export const ranksByDate = (owners: Prisma.Sql, span: Span): Prisma.Sql => Prisma.sql`
  SELECT t.date, trim_scale(sum(t.points)) AS points, min(t.rank) AS rank
  FROM (SELECT ${selectList(rankColumns)} ${fromRanks(
    Prisma.sql`${owners} CROSS JOIN LATERAL (SELECT owner.address) who`,
    Prisma.sql`(SELECT last AS date FROM (${lastDates(span)}) b)`,
  )} WHERE at.date IS NOT NULL) t GROUP BY 1`
