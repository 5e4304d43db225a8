import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Caller } from '../../db/connect/scope.ts'
import type { Admin } from '../../graphql/context.ts'
import { answerText } from '../../graphql/execution/operations.ts'
import { resultOf, run } from '../../graphql/execution/run.ts'
import type { ChargeOperation } from '../../graphql/policy/limits.ts'
import type { ServedGraph } from '../../graphql/served-graph.ts'
import { type Answer, bypassesCache, type EdgeCache } from '../cache/edge-cache.ts'
import type { Exchange } from '../exchange.ts'
import type { PlainRequest } from './request-params.ts'

/** A query whose execution returned errors. */
class Failed extends Error {
  readonly result: ExecutionResult

  constructor(result: ExecutionResult) {
    super('the query has failed')
    this.result = result
  }
}

/**
 * Answers a known query without the layers that only other operations need. The GraphQL server handles all other
 * operations, and presents errors.
 * @returns the answer, or the result of a query with errors. Undefined if the GraphQL server must handle the request
 */
export async function answerCompiled(
  graph: ServedGraph,
  edge: EdgeCache,
  { headers }: FastifyRequest,
  { key, read }: PlainRequest,
  { admin, charge, caller }: { admin: Admin; charge: ChargeOperation; caller: Exchange },
): Promise<{ answer: Answer } | { failed: ExecutionResult } | undefined> {
  const bypass = bypassesCache(headers)
  const cached = key === undefined || bypass ? undefined : edge.find(key, caller.minVersion)
  if (cached) {
    caller.cache = 'hit'
    caller.startOperation(cached.name)
    return { answer: cached }
  }
  const params = read()
  if (!params) return undefined
  const { operationName, variables = {} } = params
  const { limiter, documents, operations } = graph
  if (limiter.variablesFault(variables) !== undefined) return undefined
  const text = documents.find(params)
  const operation = text === undefined ? undefined : operations.find(text, operationName)
  if (!operation) return undefined
  caller.startOperation(operation.name)
  try {
    caller.cost = await limiter.admit(operation.document, operationName, variables, charge)
  } catch (error) {
    if (error instanceof GraphQLError) return undefined
    throw error
  }
  const compute = async (caller: Caller) => {
    const outcome = await run(graph, { operation, variables, admin }, caller)
    if (outcome.failed) throw new Failed(outcome.failed)
    return { name: operation.name, status: 200, json: answerText(operation, outcome.json) }
  }
  try {
    return { answer: await edge.answer(operation.depends === 'data' ? key : undefined, compute, caller, bypass) }
  } catch (error) {
    return { failed: error instanceof Failed ? error.result : resultOf(error) }
  }
}
