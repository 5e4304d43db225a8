import { defineLookup, sqlFields } from 'pothos-sql'
import {
  type ProgramTotals,
  pastProgramColumns,
  programAsOfSql,
  programColumns,
} from '../../../domain/distribution/program.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { isoDay } from '../../../time.ts'
import type { GraphContext } from '../../context.ts'
import { COUNT, type FieldCost } from '../../policy/cost.ts'

const program = defineLookup({
  columns: programColumns,
  types: [],
  always: true,
  at: () => Prisma.sql`FROM program t`,
})

const programAt = defineLookup({
  columns: pastProgramColumns,
  types: ['date'],
  always: true,
  at: programAsOfSql,
})

/**
 * Declares the program's totals, now or, with the argument `asOf`, as of a date, when users are
 * counted.
 */
export const programReading = {
  ...sqlFields.declare(
    {
      kind: 'lookup',
      lookup: program,
      by: [],
      past: { kind: 'lookup', lookup: programAt, by: ['asOf'], given: ['asOf'] },
    },
    { cost: { weight: ({ asOf }) => (asOf ? COUNT : 1) } satisfies FieldCost },
  ),
  resolve: async (
    _: unknown,
    { asOf }: { asOf?: Date | null },
    context: GraphContext,
  ): Promise<ProgramTotals> =>
    asOf
      ? ((await context.batches.load(programAt.load, [isoDay(asOf)])) as ProgramTotals)
      : loadProgram(context),
}

/** Loads the program's totals, once per operation. */
export async function loadProgram(context: GraphContext): Promise<ProgramTotals> {
  return (await context.batches.load(program.load, [])) as ProgramTotals
}
