import { GraphQLError, type GraphQLSchema } from 'graphql'
import { SqlError } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { answerTooLarge } from '../../db/faults.ts'
import { parseExact } from '../../exact-number.ts'
import { type Admin, contextOf } from '../context.ts'
import type { GatewayDeps } from '../deps.ts'
import type { Variables } from '../policy/documents.ts'
import { isOfDocument } from './errors.ts'
import { fillHoles, type SplitQuery } from './islands.ts'
import type { Operation, Resolve } from './operation.ts'
import { failedWith, type Outcome, resultOf } from './outcome.ts'
import { answerJson, withRows } from './resolved.ts'

/** An admitted operation, with the variables and the rights of its request. */
export interface OperationRun {
  operation: Operation
  variables: Variables
  admin: Admin
  /** Why resolvers run it, although it may have a plan. */
  unplanned?: string | undefined
}

interface Resolving {
  schema: GraphQLSchema
  deps: GatewayDeps
}

/**
 * Reads a query by its plan, or by resolvers on one snapshot: if it can be split, only the root
 * fields without a plan.
 */
export async function readOperation(
  graph: Resolving,
  request: OperationRun,
  reader: Reader,
  caller: Caller | undefined,
): Promise<Outcome> {
  const { operation, variables, unplanned } = request
  const decide = (choice: string) => caller?.onDecision?.('run', choice)
  const byResolvers = (one: Reader) => {
    decide('resolvers')
    return resolveOperation(graph, request, one)
  }
  if (unplanned !== undefined) return reader.snapshot(byResolvers)
  decide('plan')
  const planned = await answerOfPlan(operation, operation.plan, variables, reader)
  if (planned === REJECTED) return reader.snapshot(byResolvers)
  if (planned) return planned
  const coerced = operation.plan.coerced(variables)
  const parts = coerced && operation.islands.of(coerced)
  if (!parts) return reader.snapshot(byResolvers)
  decide('islands')
  return reader.snapshot(
    async (one) => (await readParts(graph, request, parts, one)) ?? byResolvers(one),
  )
}

// Reads the root fields with a plan, then the others by resolvers. Undefined if the plan rejects an
// argument or a value.
async function readParts(
  graph: Resolving,
  request: OperationRun,
  parts: SplitQuery<Resolve>,
  reader: Reader,
): Promise<Outcome | undefined> {
  const { operation, variables, admin } = request
  const planned = await answerOfPlan(operation, parts.plan, variables, reader)
  // An island may fail too: resolvers find which of the errors count.
  if (!planned || planned === REJECTED || planned.failed) return undefined
  const context = contextOf(graph.deps, reader, admin)
  const result = await parts.resolve(context, variables)
  const { data, errors } = result
  if (!data) return failedWith(operation, result)
  const islands: string[] = []
  for (const key of parts.islands)
    islands.push(await answerJson(data[key], context.turns, reader.maxBytes))
  const json = fillHoles(planned.json, islands)
  const { maxBytes = Number.POSITIVE_INFINITY } = reader
  if (json.length > maxBytes) throw answerTooLarge(maxBytes)
  return errors
    ? failedWith(operation, { ...result, data: parseExact(json) as typeof data })
    : { json }
}

// A plan rejects an argument or a value: resolvers find the place of the error.
const REJECTED = Symbol('rejected')

async function answerOfPlan(
  operation: Operation,
  plan: Operation['plan'],
  variables: Variables,
  reader: Reader,
): Promise<Outcome | typeof REJECTED | undefined> {
  try {
    return await plan.run(reader, variables)
  } catch (error) {
    if (error instanceof GraphQLError && error.path) return failedWith(operation, resultOf(error))
    if (isOfDocument(error) || (error instanceof SqlError && error.code === 'NO_JSON'))
      return REJECTED
    throw error
  }
}

/** Runs an operation by resolvers. */
export async function resolveOperation(
  graph: Resolving,
  request: OperationRun,
  reader: Reader,
): Promise<Outcome> {
  const { operation, variables, admin, unplanned } = request
  const context = contextOf(graph.deps, reader, admin)
  const result = await operation.resolve(context, variables, unplanned)
  if (result.errors) return failedWith(operation, result)
  if (operation.hasRows) return withRows(graph.schema, operation.document, result.data)
  return { json: await answerJson(result.data, context.turns, reader.maxBytes) }
}
