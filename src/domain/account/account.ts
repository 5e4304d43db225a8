import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'

const columns = sqlColumns(Prisma.AccountDayScalarFieldEnum, {
  userAddress: { type: 'address' },
  distributionDate: {
    type: 'date',
    field: 'date',
    description: 'The distribution date.',
    sort: true,
  },
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

export const accountDays = listing({
  name: 'dailyPoints',
  from: Prisma.sql`account_day t`,
  columns,
  order: { distributionDate: 'ASC' },
  filters: {
    date: rowFilters.range(columns.distributionDate, 'Only distribution dates in this range.'),
    points: rowFilters.range(
      { sql: doubleOf('t.points'), type: 'float' },
      'Only dates whose points are in this range.',
    ),
  },
})
