import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

/** The totals of the whole points program. */
export interface ProgramTotals {
  totalPoints: number
  accountCount: number
  positionCount: number
}

/** What is stored of them: nothing is added up. */
export async function programTotals(reader: Reader): Promise<ProgramTotals> {
  const [totals] = await reader.$queryRaw<ProgramTotals[]>`
    SELECT ${Prisma.raw(pointsOf('total_points'))} AS "totalPoints", account_count AS "accountCount", position_count AS "positionCount"
    FROM program`
  if (!totals) throw new Error('the program has no totals')
  return totals
}
