import { type ProgramTotals, programColumns } from '../../../domain/distribution/program.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { GraphContext } from '../../execution/context.ts'
import { keyedRow } from '../../plan/sql-field.ts'

/** The one row of the program's totals. */
export const program = keyedRow<ProgramTotals>({
  columns: programColumns,
  types: [],
  always: true,
  at: () => Prisma.sql`FROM program t`,
})

/** Loads the program's totals, once per operation. */
export async function loadProgram(context: GraphContext): Promise<ProgramTotals> {
  return (await context.batches.load(program.load, [])) as ProgramTotals
}
