import { type Listing, listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { GatewayError } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'

const entryColumns = sqlColumns(Prisma.RankHistoryScalarFieldEnum, {
  userAddress: { type: 'address', field: 'user.address', sort: 'USER' },
  points: {
    ...pointsColumn('t.points'),
    description: 'The points up to the date of the leaderboard, or of its window.',
  },
  rank: {
    type: 'int',
    description: 'The rank, from 1, by points, then address. No two users share one.',
    filter: true,
    sort: true,
  },
  /** The date or window whose points count, as text. Null for all points up to now. */
  scope: { sql: 'NULL::text', type: 'text', nullable: true },
})

const scopedColumns = (sql: string) => ({ ...entryColumns, scope: { ...entryColumns.scope, sql } })

export type LeaderboardEntry = RowOf<typeof entryColumns>

/** Users by rank as of a past date, which the filter sets. Indexes serve all sort keys. */
export const pastLeaderboard = listing({
  name: 'rankHistory',
  from: Prisma.sql`rank_history t`,
  columns: scopedColumns('t.distribution_date::text'),
  order: { rank: 'ASC' },
  filters: {
    users: rowFilters.many(entryColumns.userAddress, 'Only users at one of these addresses.'),
    points: rowFilters.range(
      { sql: doubleOf('t.points'), type: 'float' },
      'Only users whose points are in this range.',
    ),
  },
  sortKeys: {
    POINTS: {
      column: 't.rank',
      field: 'rank',
      type: 'int',
      inverse: true,
      description: 'Sorts by `points`. DESC is the order of the ranks.',
    },
  },
})

/** Users by rank as of the newest date. The `account` table has these ranks. */
export const currentLeaderboard = {
  ...pastLeaderboard,
  name: 'leaderboard',
  from: Prisma.sql`account t`,
  columns: entryColumns,
}

/** Users by rank as of a date that is the newest one. */
export const newestLeaderboard = {
  ...currentLeaderboard,
  columns: scopedColumns('(SELECT max(date)::text FROM distribution)'),
}

/** Users by rank in a window, whose entries `entries` selects, with the text that names it. */
export const leaderboardOf = (entries: Prisma.Sql, scope: string): Listing<LeaderboardEntry> => ({
  ...pastLeaderboard,
  name: 'window',
  from: Prisma.sql`(SELECT e.*, ${scope}::text AS scope FROM (${entries}) e) t`,
  columns: scopedColumns('t.scope'),
})

/**
 * The last distribution date up to a moment, as YYYY-MM-DD. `newest` if the `account` table has its
 * ranks.
 */
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
      EXISTS (SELECT FROM rank_history_date s WHERE s.date = d.date) AS ready
    FROM (SELECT max(date) AS date FROM distribution WHERE date <= ${isoDay(moment)}::date) d`
  if (!row?.date) return undefined
  const date = isoDay(row.date)
  if (!row.newest && !row.ready) throw recomputed(date)
  return { date, newest: row.newest }
}

/** The error while the ranks of a date, as YYYY-MM-DD, are being recomputed. */
export const recomputed = (date: string) =>
  new GatewayError(
    'UNAVAILABLE',
    `The ranks of ${date} are being recomputed, because that date or an earlier one has ` +
      'changed. Try again in a moment.',
  )

/** A user's rank, and the number of users who are ranked. */
export interface RankPlace {
  rank: number
  total: number
}

/** Returns the place of an account as of a date. Undefined if it had no position by then. */
export async function placeAt(
  reader: Reader,
  address: string,
  at: AsOf,
): Promise<RankPlace | undefined> {
  const [row] = at.newest
    ? await reader.$queryRaw<RankPlace[]>`
        SELECT rank, (SELECT account_count FROM program) AS total FROM account
          WHERE user_address = ${address}`
    : await reader.$queryRaw<RankPlace[]>`
        SELECT rank, (SELECT max(rank) FROM rank_history
          WHERE distribution_date = ${at.date}::date) AS total
        FROM rank_history WHERE distribution_date = ${at.date}::date AND user_address = ${address}`
  return row
}

/**
 * Selects the last distribution date up to a date, as one row whose `date` is null if there is
 * none.
 */
export const lastDateSql = (asOf: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT max(date) AS date FROM distribution WHERE date <= ${asOf}`
