import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type ExecutionResult, OperationTypeNode } from 'graphql'
import { plainReader, type Reader, readFor } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { NoJson } from '../../db/lists/encoding.ts'
import { GatewayError } from '../../errors.ts'
import { parseExact } from '../../exact-number.ts'
import type { Admin } from '../context.ts'
import type { Planned, Rows } from '../plan/plan.ts'
import { type DocumentReference, documentReference, type RequestParams } from '../policy/documents.ts'
import type { ChargeOperation } from '../policy/limits.ts'
import { isCallersMistake, refusal } from './errors.ts'
import { createContext, type Graph } from './graph.ts'
import type { Operation } from './operation.ts'
import { resultOf } from './outcome.ts'
import { answerJson, resolvedParts } from './resolved.ts'

/** The request of an operation. It records the operation's name, cost and errors. */
export interface OperationCaller extends Caller {
  cost?: number | undefined
  errors: string[]
  /** The name of the admin who changes something. */
  admin?: string | undefined
  startOperation(name: string): void
}

export interface Call {
  admin: Admin
  /** Undefined if clients are not charged. */
  charge?: ChargeOperation | undefined
  caller?: OperationCaller | undefined
}

/**
 * The text of a request's document. Undefined if it has none.
 * @throws GraphQLError if its parameters or the document are rejected unread
 */
export async function documentText({ documents, limiter }: Graph, params: RequestParams): Promise<string | undefined> {
  limiter.assertReadable(params.variables)
  const reference = documentReference(params)
  return Object.values(reference).every((one) => one === undefined) ? undefined : documents.resolve(reference)
}

/** Finds a query whose document is at hand. Undefined if it is something else, or is rejected. */
export function findQuery(
  { documents, limiter, operations }: Graph,
  params: DocumentReference & { operationName: string | undefined; variables?: Record<string, unknown> },
): Operation | undefined {
  if (limiter.variablesFault(params.variables) !== undefined) return undefined
  const text = documents.find(params)
  return text === undefined ? undefined : operations.find(text, params.operationName)
}

/**
 * Admits an operation that a client requests: names it to its request, and charges for it.
 * @returns a promise if it must be awaited @throws COST_LIMIT_EXCEEDED or RATE_LIMITED
 */
export function admit(
  { limiter }: Graph,
  operation: Operation,
  variables: Record<string, unknown>,
  { admin, charge, caller }: Call,
): Promise<void> | undefined {
  const { name, type } = operation
  caller?.startOperation(name)
  if (caller && type === OperationTypeNode.MUTATION && typeof admin === 'object') caller.admin = admin.name
  const cost = limiter.assertAllowed(operation, variables)
  if (caller) caller.cost = cost
  return charge && charged(charge, cost)
}

async function charged(charge: ChargeOperation, cost: number): Promise<void> {
  const message = await charge(cost)
  if (message !== undefined) throw refusal('RATE_LIMITED', message)
}

/** The JSON of an operation's data, or a result with errors, which are not yet safe to show. */
export type Outcome = { json: string; failed?: undefined } | { failed: ExecutionResult }

/** The JSON of an answer: its data and, in `extensions`, the warnings of its operation, and more. */
export function answerText({ warnings }: Operation, { json }: { json: string }, more?: object): string {
  const extensions = more ? { ...warnings, ...more } : warnings
  return extensions ? `{"data":${json},"extensions":${JSON.stringify(extensions)}}` : `{"data":${json}}`
}

export interface Run {
  operation: Operation
  variables: Record<string, unknown>
  admin: Admin
  /** Why resolvers run it, although it may have a plan. */
  unplanned?: string | undefined
}

/**
 * Runs a query or a mutation: a query by its plan if it has one, else by resolvers on one snapshot of the store. If a plan
 * rejects an argument or a value, resolvers run the query, since their errors have a location in the document. A large
 * operation waits for its turn.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function run(graph: Graph, request: Run, caller?: Caller): Promise<Outcome> {
  const { operation, variables } = request
  const cost = costOf(graph, operation, variables)
  return graph.workload
    .run(cost, caller, () => answer(graph, request, cost, caller))
    .catch((error) => failedWith(operation, resultOf(error)))
}

/** The cost of an operation in the workload. */
export const costOf = ({ limiter }: Graph, operation: Operation, variables: Record<string, unknown>): number =>
  limiter.cost(operation, variables).requested

/** Runs an operation that has its turn. @throws the error of a read that fails */
export function answer(graph: Graph, request: Run, cost: number, caller?: Caller): Promise<Outcome> {
  const { operation, variables, unplanned } = request
  const { store } = graph.deps
  const resolved = async (reader: Reader): Promise<Outcome> => {
    const answered = await resolve(graph, request, reader)
    return 'failed' in answered ? failedWith(operation, answered.failed) : { json: await answered.json() }
  }
  if (!operation.snapshot) return resolved(plainReader(store))
  const read = async (reader: Reader): Promise<Outcome> => {
    const planned = unplanned === undefined ? await planOf(operation, reader, variables) : undefined
    return planned ?? reader.snapshot(resolved)
  }
  return readFor(store, read, caller, graph.workload.isLarge(cost))
}

/** The answer of an operation's plan. Undefined if it has none, or rejects an argument or a value. */
async function planOf(
  { plan }: Operation,
  reader: Reader,
  variables: Record<string, unknown>,
): Promise<Outcome | undefined> {
  try {
    const data = await plan.run(reader, variables)
    return data && { json: await data.json() }
  } catch (error) {
    if (isCallersMistake(error) || error instanceof NoJson) return undefined
    throw error
  }
}

const failedWith = ({ warnings }: Operation, result: ExecutionResult): Outcome => ({
  failed: warnings ? { ...result, extensions: { ...warnings } } : result,
})

async function resolve(
  graph: Graph,
  { operation, variables, admin, unplanned }: Run,
  reader: Reader,
): Promise<Planned | { failed: ExecutionResult }> {
  const context = createContext(graph, reader, admin)
  const result = await operation.resolve(context, variables, unplanned)
  if (result.errors) return { failed: result }
  return {
    json: () => answerJson(result.data, context.turns, reader.maxBytes),
    parts: async () => resolvedParts(operation.document, result.data),
  }
}

/** Runs an operation of this program on one reader. */
export interface Execute<Data, Variables> {
  (variables: Variables): Promise<Data>
  /**
   * Returns the rows of the operation's only list separately, as JSON; the list in `data` is empty. Objects selected
   * with `@flat` are merged into their parents.
   */
  rows(variables: Variables): Promise<{ data: Data; rows: Rows }>
  /** Executes the operation more than once on one snapshot. */
  snapshot<T>(work: (execute: Execute<Data, Variables>) => Promise<T>): Promise<T>
}

/**
 * Runs an operation of this program. It is not validated, since code generation has done so.
 * @throws the error that a resolver threw
 */
export function executor<Data, Variables>(
  graph: Graph,
  operation: Operation,
  reader: Reader,
  admin: Admin,
): Execute<Data, Variables> {
  const answer = <T>(values: Variables, present: (planned: Planned) => Promise<T>): Promise<T> => {
    const variables = values as Record<string, unknown>
    const resolved = async (reader: Reader) => {
      const answered = await resolve(graph, { operation, variables, admin }, reader)
      if ('failed' in answered) throw origin(answered.failed)
      return present(answered)
    }
    const unplanned = () => (operation.snapshot ? reader.snapshot(resolved) : resolved(reader))
    return operation.plan.run(reader, variables).then((planned) => (planned ? present(planned) : unplanned()))
  }
  const whole = (variables: Variables) => answer(variables, async (planned) => parseExact(await planned.json()) as Data)
  const rows = (variables: Variables) =>
    answer(variables, async (planned) => {
      const { data, rows } = await planned.parts()
      return { data: parseExact(data) as Data, rows }
    })
  const snapshot: Execute<Data, Variables>['snapshot'] = (work) =>
    reader.snapshot((one) => work(executor(graph, operation, one, admin)))
  return Object.assign(whole, { rows, snapshot })
}

/**
 * Prepares an operation of this program.
 * @returns a function that reads with it; a large operation waits for its turn
 */
export function reads<Data, Variables>(
  graph: Graph,
  document: TypedDocumentNode<Data, Variables>,
  { admin = 'no' }: { admin?: Admin } = {},
) {
  const { workload, deps } = graph
  const operation = graph.operations.of(document) as Operation
  return <T>(
    work: (execute: Execute<Data, Variables>) => Promise<T>,
    variables: Variables,
    caller?: Caller,
  ): Promise<T> => {
    const cost = costOf(graph, operation, variables as Record<string, unknown>)
    const read = (reader: Reader) => work(executor(graph, operation, reader, admin))
    return workload.run(cost, caller, () => readFor(deps.store, read, caller, workload.isLarge(cost)))
  }
}

/** The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT. */
function origin({ errors: [error] = [] }: ExecutionResult): unknown {
  let cause: Error | undefined = error?.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error?.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
