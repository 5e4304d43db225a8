import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

/** The totals of the whole points program. */
export const programColumns = columnsOf(Prisma.ProgramScalarFieldEnum, {
  totalPoints: {
    sql: pointsOf('t.total_points'),
    type: 'decimal',
    description: 'Total points of all users over all distribution dates.',
  },
  accountCount: { type: 'int', field: 'userCount', description: 'Number of users with at least one stored position.' },
  positionCount: { type: 'int', description: 'Number of stored positions over all distribution dates.' },
})

export type ProgramTotals = RowOf<typeof programColumns>
