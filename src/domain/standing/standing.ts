import type { Reader } from '../../db/connect/reader.ts'
import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { listing, selectList } from '../../db/lists/listing.ts'
import { GatewayError } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { addPoints, doubleOf, pointsOf } from '../points/millionths.ts'
import { isoDate } from '../position/position.ts'
import { buckets } from '../series/calendar.ts'
import type { Span } from '../series/interval.ts'

const entryColumns = columnsOf(Prisma.StandingScalarFieldEnum, {
  userAddress: { type: 'address', description: "The user's address.", sort: 'USER' },
  points: {
    sql: pointsOf('t.points'),
    type: 'decimal',
    description: 'Points over all distribution dates up to the date of the leaderboard, or those of its window.',
  },
  rank: {
    type: 'int',
    description:
      "The user's rank, starting at 1; no two users share a rank. Users are ranked by points, then by address.",
    filter: true,
    sort: true,
  },
})

/** A user on the leaderboard. */
export type StandingEntry = RowOf<typeof entryColumns>

/** Users by rank as of a past date, which the filter sets. Indexes serve all sort keys. */
export const standings = listing({
  name: 'standings',
  from: Prisma.sql`standing t`,
  columns: entryColumns,
  order: { rank: 'ASC' },
  filters: {
    user: one(entryColumns.userAddress, 'Only the user at this address.'),
    users: many(entryColumns.userAddress, 'Only users at one of these addresses.'),
    points: range({ sql: doubleOf('t.points'), type: 'float' }, 'Only users whose points are in this range.'),
  },
  sortKeys: {
    POINTS: {
      column: 't.rank',
      field: 'rank',
      type: 'int',
      inverse: true,
      description: 'Points, as ranked on the leaderboard: DESC is the order of the ranks.',
    },
  },
})

/** Users by rank as of the newest date. The `account` table has these ranks. */
export const presentStandings = { ...standings, name: 'leaderboard', from: Prisma.sql`account t` }

/** The last distribution date up to a moment, as YYYY-MM-DD. `newest` if the `account` table has its ranks. */
export interface AsOf {
  date: string
  newest: boolean
}

/**
 * Returns the last distribution date up to a moment. Undefined if there is none.
 * @throws UNAVAILABLE while its ranks are being recomputed
 */
export async function asOfDate(reader: Reader, moment: Date): Promise<AsOf | undefined> {
  const [row] = await reader.$queryRaw<{ date: Date | null; newest: boolean; ready: boolean }[]>`
    SELECT d.date, d.date = (SELECT max(date) FROM distribution) AS newest,
      EXISTS (SELECT FROM standing_day s WHERE s.date = d.date) AS ready
    FROM (SELECT max(date) AS date FROM distribution WHERE date <= ${isoDate(moment)}::date) d`
  if (!row?.date) return undefined
  const date = isoDate(row.date)
  if (!row.newest && !row.ready) throw recomputed(date)
  return { date, newest: row.newest }
}

/** The error while the ranks of a date, as YYYY-MM-DD, are being recomputed. */
export const recomputed = (date: string) =>
  new GatewayError(
    'UNAVAILABLE',
    `The ranks of ${date} are being recomputed, because that date or an earlier one has changed. Try again in a moment.`,
  )

/** Returns the rank of an account as of a date. Undefined if it had no position by then. */
export async function rankAt(reader: Reader, address: string, at: AsOf): Promise<number | undefined> {
  const [row] = at.newest
    ? await reader.$queryRaw<{ rank: number }[]>`SELECT rank FROM account WHERE user_address = ${address}`
    : await reader.$queryRaw<{ rank: number }[]>`
        SELECT rank FROM standing WHERE distribution_date = ${at.date}::date AND user_address = ${address}`
  return row?.rank
}

/** Selects the last distribution date up to a date, as one row whose `date` is null if there is none. */
export const lastDateSql = (asOf: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT max(date) AS date FROM distribution WHERE date <= ${asOf}`

/** While ranks are being recomputed, points are summed from the user's dates and the rank is null. */
export const standingColumns = columnsOf(
  {},
  {
    date: { sql: 'at.date', type: 'date' },
    points: {
      sql: pointsOf(`coalesce(CASE WHEN at.newest THEN a.points WHEN at.ready THEN s.points
    ELSE (SELECT sum(d.points) FROM account_day d
      WHERE d.user_address = a.user_address AND d.distribution_date <= at.date) END, 0)`),
      type: 'decimal',
    },
    rank: {
      sql: 'CASE WHEN at.newest THEN a.rank WHEN at.ready THEN s.rank END',
      type: 'int',
      nullable: true,
    },
  },
)

/** A user's total points up to and including a distribution date, and the rank as of it. */
export type Standing = RowOf<typeof standingColumns>

/** Joins an account `a` with its rank history at `dates`, from its first distribution date on. */
const joinedAt = (dates: Prisma.Sql) => Prisma.sql`
  JOIN (SELECT date, date = (SELECT max(date) FROM distribution) AS newest,
      EXISTS (SELECT FROM standing_day s WHERE s.date = dates.date) AS ready FROM ${dates} dates) at
    ON at.date >= a.first_distribution_date
  LEFT JOIN LATERAL (SELECT * FROM standing s WHERE at.ready AND NOT at.newest AND s.distribution_date = at.date
    AND s.user_address = a.user_address OFFSET 0) s ON true`

/**
 * The FROM clause for `standingColumns`: a user's points and rank as of a date, or now if it is null. One row, of 0 points
 * without a position by then.
 */
export const standingAsOfSql = (user: Prisma.Sql, asOf: Prisma.Sql): Prisma.Sql => {
  const date = lastDateSql(Prisma.sql`coalesce(${asOf}, 'infinity')`)
  return Prisma.sql`FROM (SELECT) always
    LEFT JOIN (account a ${joinedAt(Prisma.sql`(${date})`)}) ON a.user_address = ${user}`
}

/** The points of users together, and the best of their ranks. */
export function together(all: Pick<Standing, 'points' | 'rank'>[]): Pick<Standing, 'points' | 'rank'> {
  const ranks = all.flatMap(({ rank }) => rank ?? [])
  return { points: addPoints(all.map(({ points }) => points)), rank: ranks.length > 0 ? Math.min(...ranks) : null }
}

/**
 * Reads each user's rank history at the last distribution date of each bucket, oldest first, from the user's first distribution
 * date on. Takes one row per user and bucket.
 */
export async function standingHistory(reader: Reader, users: readonly string[], span: Span): Promise<Standing[][]> {
  const rows = await reader.$queryRaw<(Standing & { ordinality: number })[]>`
    WITH ${buckets(span)}, dates AS (SELECT last AS date FROM bucket)
    SELECT owner.ordinality::int AS ordinality, ${selectList(standingColumns)}
    FROM unnest(${[...users]}::text[]) WITH ORDINALITY AS owner(address, ordinality)
    JOIN account a ON a.user_address = owner.address ${joinedAt(Prisma.sql`dates`)}
    ORDER BY ordinality, at.date`
  const found: Standing[][] = users.map(() => [])
  for (const { ordinality, ...row } of rows) found[ordinality - 1]?.push(row)
  return found
}
