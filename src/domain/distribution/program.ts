import pg from 'pg'
import { type Columns, type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsColumn } from '../points/millionths.ts'

const UP_TO = 'With `asOf`, up to it.'

export const programColumns = sqlColumns(Prisma.ProgramScalarFieldEnum, {
  totalPoints: {
    ...pointsColumn('t.total_points'),
    description: `Total points of all users over all dates. ${UP_TO}`,
  },
  accountCount: {
    type: 'int',
    field: 'userCount',
    description: 'Number of users with a position, or with `asOf` with one by then.',
  },
  positionCount: {
    type: 'int',
    field: 'recordCount',
    description: `Number of stored positions over all dates. ${UP_TO}`,
  },
})

export type ProgramTotals = RowOf<typeof programColumns>

// A total as of `at.date`: the stored one, or the SQL of it for a past date.
const asOf = (stored: string, past: string) => `CASE WHEN at.newest THEN ${stored} ELSE ${past} END`
const summed = (column: string) =>
  `(SELECT coalesce(sum(d.${column}), 0) FROM distribution d WHERE d.date <= at.date)`

/** The same totals as of a date. */
export const pastProgramColumns: Columns = {
  totalPoints: {
    ...programColumns.totalPoints,
    ...pointsColumn(asOf('t.total_points', summed('total_points'))),
  },
  accountCount: {
    ...programColumns.accountCount,
    sql: asOf(
      't.account_count',
      '(SELECT count(*)::int FROM account a WHERE a.first_distribution_date <= at.date)',
    ),
  },
  positionCount: {
    ...programColumns.positionCount,
    sql: asOf('t.position_count', `${summed('position_count')}::int`),
  },
}

/** The FROM clause for `pastProgramColumns`, as of a date; null means the newest one. */
export const programAsOfSql = (date: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM program t
    CROSS JOIN (SELECT date, date IS NULL OR date >= (SELECT max(date) FROM distribution) AS newest
    FROM (SELECT ${date} AS date) given) at`

/** SQL of the name of the points program, which is a setting. */
export const programNameSql = (name: string | undefined): string =>
  name === undefined ? 'NULL::text' : `${pg.escapeLiteral(name)}::text`
