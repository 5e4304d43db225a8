import type { Prisma } from '../../generated/prisma/client.ts'
import { isUnsupported, QUERY_CANCELED } from '../faults.ts'
import type { Queryable } from './protocol.ts'

// A store of several servers may take seconds to find that it has no plan, the longer the more
// users a statement is about.
const EXPLAIN_MS = 250
// An internal error, which such a store raises for some nested statements that it rewrites: 'plan
// should not reference subplan's variable'.
const PLANNER_FAILED = 'XX000'

/**
 * Explains a statement in a transaction, which goes on whatever comes of it.
 * @returns undefined if the store has no plan for it, or does not find one soon
 */
export async function explainOn(
  client: Queryable,
  { text, values }: Pick<Prisma.Sql, 'text' | 'values'>,
): Promise<unknown> {
  await client.query(`SAVEPOINT explaining; SET LOCAL statement_timeout = ${EXPLAIN_MS}`)
  try {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values as unknown[])
    return rows[0]?.['QUERY PLAN']
  } catch (error) {
    const { code } = error as { code?: string }
    if (isUnsupported(error) || code === PLANNER_FAILED || code === QUERY_CANCELED) return undefined
    throw error
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT explaining')
  }
}
