import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { answerJson } from '../../graphql/execution/answer-size.ts'
import type { Admin } from '../../graphql/execution/context.ts'
import { isCallersMistake } from '../../graphql/execution/errors.ts'
import { createContext } from '../../graphql/execution/execute.ts'
import { readFor } from '../../graphql/execution/snapshot.ts'
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
 * operations, and reports callers' mistakes.
 * @returns the answer, or the result of a query that failed in the store or by a fault of ours, which must not run again.
 * Undefined if the GraphQL server must execute the operation
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
  const { operationName, variables } = params
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
    const answer = async (reader: Reader) => {
      const planned = await operation.plan.run(reader, variables)
      if (planned) return planned.json()
      const result = await operation.run({}, createContext(graph, reader, admin), variables)
      if (result.errors) throw new Failed(result)
      return answerJson(result.data, graph.deps.store.maxAnswerBytes)
    }
    const json = await readFor(graph.deps.store, operation.document, answer, caller)
    return { name: operation.name, status: 200, json: `{"data":${json}}` }
  }
  try {
    return { answer: await edge.answer(operation.depends === 'data' ? key : undefined, compute, caller, bypass) }
  } catch (error) {
    const failed = error instanceof Failed ? error.result : resultOf(error)
    return failed.errors?.every(isCallersMistake) ? undefined : { failed }
  }
}

/** The result of a query that failed as a whole. */
const resultOf = (error: unknown): ExecutionResult => ({
  data: null,
  errors: [error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })],
})
