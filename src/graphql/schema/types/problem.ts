import { sqlFields } from 'pothos-sql'
import type { Builder, SchemaTypes } from '../builder.ts'
import { poolAt, poolField } from './pool.ts'

/** A probable mistake in what a mutation did. */
export type Problem = SchemaTypes['Objects']['Problem']

const PROBLEM_CODES: Record<Problem['code'], string> = {
  MULTIPLIER_JUMPED: 'A factor doubled or halved, or a new one is above 10.',
  MULTIPLIER_MISSING:
    'A pool has no multiplier for the date of the run: its positions have no points.',
}

export function addProblem(builder: Builder): void {
  const Code = builder.enumType('ProblemCode', {
    description: 'The kinds of probable mistakes.',
    values: Object.fromEntries(
      Object.entries(PROBLEM_CODES).map(([code, description]) => [code, { description }]),
    ) as Record<Problem['code'], { description: string }>,
  })
  builder.objectRef<Problem>('Problem').implement({
    description: 'A probable mistake in what a mutation did.',
    fields: (t) => ({
      code: t.expose('code', { type: Code, description: 'The kind of mistake.' }),
      message: t.exposeString('message', { description: 'A sentence that says what it is.' }),
      poolAddress: t.expose('poolAddress', {
        type: 'Address',
        description: "The pool's address.",
      }),
      pool: t.field({ ...poolField, ...sqlFields.lookup(poolAt, ['poolAddress']) }),
    }),
  })
}
