import type pg from 'pg'
import type { Prisma } from '../../generated/prisma/client.ts'
import { isUnsupported } from '../faults.ts'

/** Citus may take seconds to find that it has no plan, the longer the more users a statement is about. */
const EXPLAIN_MS = 250

/**
 * Explains a statement in a transaction, which goes on whatever comes of it.
 * @returns undefined if the store has no plan for it, or does not find one soon
 */
export async function explainOn(
  client: Pick<pg.ClientBase, 'query'>,
  { text, values }: Pick<Prisma.Sql, 'text' | 'values'>,
): Promise<unknown> {
  await client.query(`SAVEPOINT explaining; SET LOCAL statement_timeout = ${EXPLAIN_MS}`)
  try {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values as unknown[])
    return rows[0]?.['QUERY PLAN']
  } catch (error) {
    if (isUnsupported(error) || (error instanceof Error && /statement timeout/.test(error.message))) return undefined
    throw error
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT explaining')
  }
}
