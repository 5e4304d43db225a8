import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { NoJson } from '../../db/lists/encoding.ts'
import type { Admin } from '../context.ts'
import { answerJson } from './answer-size.ts'
import { isCallersMistake } from './errors.ts'
import { createContext, type Graph } from './graph.ts'
import type { Operation } from './operations.ts'
import { readFor } from './snapshot.ts'

/** One execution of a query. */
export interface Run {
  operation: Operation
  variables: Record<string, unknown>
  admin: Admin
  /** Why resolvers run it, although it may have a plan. */
  unplanned?: string
}

/** The JSON of a query's data, or a result with errors, which are not yet safe to show. */
export type Outcome = { json: string; failed?: undefined } | { failed: ExecutionResult }

/**
 * Runs a query on one snapshot of the store: by its plan if it has one, else by resolvers. If a plan rejects an argument
 * or a value, resolvers run the query again, since their errors have a location in the document.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export async function run(graph: Graph, request: Run, caller?: Caller): Promise<Outcome> {
  const { operation, variables, admin, unplanned } = request
  let planned = unplanned === undefined
  const read = async (reader: Reader): Promise<Outcome> => {
    const data = planned ? await operation.plan.run(reader, variables) : undefined
    if (data) return { json: data.json() }
    planned = false
    const result = await operation.resolve(createContext(graph, reader, admin), variables, unplanned)
    return result.errors ? { failed: result } : { json: answerJson(result.data, reader.maxBytes) }
  }
  const attempt = () => readFor(graph.deps.store, operation.document, read, caller)
  try {
    return await attempt()
  } catch (error) {
    if (!planned || !(isCallersMistake(error) || error instanceof NoJson)) return { failed: resultOf(error) }
  }
  planned = false
  return attempt().catch((error) => ({ failed: resultOf(error) }))
}

/** The result of a query that failed as a whole. */
export const resultOf = (error: unknown): ExecutionResult => ({
  data: null,
  errors: [error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })],
})
