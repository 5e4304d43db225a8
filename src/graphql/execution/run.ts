import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql'
import { type Answer, SqlError } from 'pothos-sql'
import { plainReader, type Reader, readFor } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { answerTooLarge } from '../../db/faults.ts'
import { GatewayError } from '../../errors.ts'
import { parseExact } from '../../exact-number.ts'
import type { Admin } from '../context.ts'
import {
  type DocumentReference,
  documentReference,
  type RequestParams,
  type Variables,
} from '../policy/documents.ts'
import type { ChargeOperation } from '../policy/limits.ts'
import { isOfDocument, refusal } from './errors.ts'
import { createContext, type Graph } from './graph.ts'
import { fillHoles, type SplitQuery } from './islands.ts'
import type { Operation, Resolve } from './operation.ts'
import { resultOf } from './outcome.ts'
import { answerJson, withRows } from './resolved.ts'

/** The request of an operation. It records the operation's name, cost and errors. */
export interface OperationCaller extends Caller {
  cost?: number | undefined
  errors: string[]
  admin?: string | undefined
  startOperation(name: string): void
}

export interface OperationCall {
  admin: Admin
  charge?: ChargeOperation | undefined
  caller?: OperationCaller | undefined
}

/**
 * The text of a request's document. Undefined if it has none.
 * @throws GraphQLError if its parameters or the document are rejected unread
 */
export async function documentText(
  { documents, limiter }: Graph,
  params: RequestParams,
): Promise<string | undefined> {
  limiter.assertReadable(params.variables)
  const reference = documentReference(params)
  return Object.values(reference).every((one) => one === undefined)
    ? undefined
    : documents.resolve(reference)
}

/** Finds a query whose document is at hand. Undefined if it is something else, or is rejected. */
export function findQuery(
  { documents, limiter, operations }: Graph,
  params: DocumentReference & {
    operationName: string | undefined
    variables?: Variables
  },
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
  variables: Variables,
  { admin, charge, caller }: OperationCall,
): Promise<void> | undefined {
  const { name, type } = operation
  caller?.startOperation(name)
  if (caller && type === OperationTypeNode.MUTATION && typeof admin === 'object')
    caller.admin = admin.name
  const cost = limiter.assertAllowed(operation, variables)
  if (caller) caller.cost = cost
  return charge && charged(charge, cost)
}

async function charged(charge: ChargeOperation, cost: number): Promise<void> {
  const message = await charge(cost)
  if (message !== undefined) throw refusal('RATE_LIMITED', message)
}

/** An operation's data as JSON, or a result with errors, which are not yet safe to show. */
export type Outcome = (Answer & { failed?: undefined }) | { failed: ExecutionResult }

/**
 * The JSON of an answer: its data and, in `extensions`, the warnings of its operation, and more.
 */
export function answerText(
  { warnings }: Operation,
  { json }: { json: string },
  more?: object,
): string {
  const extensions = more ? { ...warnings, ...more } : warnings
  return extensions
    ? `{"data":${json},"extensions":${JSON.stringify(extensions)}}`
    : `{"data":${json}}`
}

export interface OperationRun {
  operation: Operation
  variables: Variables
  admin: Admin
  /** Why resolvers run it, although it may have a plan. */
  unplanned?: string | undefined
}

/**
 * Runs a query or a mutation: a query by its plan if it has one, else by resolvers on one snapshot
 * of the store. If a plan rejects an argument or a value without a place in the document, resolvers
 * run the query to find it. A large operation waits for its turn.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function run(graph: Graph, request: OperationRun, caller?: Caller): Promise<Outcome> {
  const { operation, variables } = request
  const cost = costOf(graph, operation, variables)
  return graph.workload
    .run(cost, caller, () => answer(graph, request, cost, caller))
    .catch((error) => failedWith(operation, resultOf(error)))
}

/** The cost of an operation in the workload. */
export const costOf = ({ limiter }: Graph, operation: Operation, variables: Variables): number =>
  limiter.cost(operation, variables).requested

/** Runs an operation that has its turn. @throws the error of a read that fails */
export function answer(
  graph: Graph,
  request: OperationRun,
  cost: number,
  caller?: Caller,
): Promise<Outcome> {
  const { store } = graph.deps
  if (!request.operation.snapshot) return resolve(graph, request, plainReader(store))
  return readFor(
    store,
    (reader) => read(graph, request, reader, caller),
    caller,
    graph.workload.isLarge(cost),
  )
}

// Reads a query by its plan, or by resolvers on one snapshot: if it can be split, only the root
// fields without a plan.
async function read(
  graph: Graph,
  request: OperationRun,
  reader: Reader,
  caller: Caller | undefined,
): Promise<Outcome> {
  const { operation, variables, unplanned } = request
  const decide = (choice: string) => caller?.onDecision?.('run', choice)
  const byResolvers = (one: Reader) => {
    decide('resolvers')
    return resolve(graph, request, one)
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
  graph: Graph,
  request: OperationRun,
  parts: SplitQuery<Resolve>,
  reader: Reader,
): Promise<Outcome | undefined> {
  const { operation, variables, admin } = request
  const planned = await answerOfPlan(operation, parts.plan, variables, reader)
  // An island may fail too: resolvers find which of the errors count.
  if (!planned || planned === REJECTED || planned.failed) return undefined
  const context = createContext(graph, reader, admin)
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

const failedWith = ({ warnings }: Operation, result: ExecutionResult): Outcome => ({
  failed: warnings ? { ...result, extensions: { ...warnings } } : result,
})

async function resolve(graph: Graph, request: OperationRun, reader: Reader): Promise<Outcome> {
  const { operation, variables, admin, unplanned } = request
  const context = createContext(graph, reader, admin)
  const result = await operation.resolve(context, variables, unplanned)
  if (result.errors) return failedWith(operation, result)
  if (operation.hasRows) return withRows(graph.schema, operation.document, result.data)
  return { json: await answerJson(result.data, context.turns, reader.maxBytes) }
}

/**
 * Runs an operation of this program, which code generation has validated.
 * @throws the error that a resolver threw
 */
export async function runDocument<Data, Sent>(
  graph: Graph,
  document: TypedDocumentNode<Data, Sent>,
  variables: Sent,
  { admin = 'no', caller }: { admin?: Admin; caller?: Caller } = {},
): Promise<Data> {
  const operation = graph.operations.of(document) as Operation
  const request = { operation, variables: variables as Variables, admin }
  return dataOf<Data>(answered(await run(graph, request, caller)))
}

/** The answer of an operation of this program. @throws the error that a resolver threw */
export function answered(outcome: Outcome): Answer {
  if (outcome.failed) throw origin(outcome.failed)
  return outcome
}

export const dataOf = <Data>({ json }: Answer): Data => parseExact(json) as Data

/**
 * Runs a query of this program page by page. Several pages are of one snapshot.
 * @param next the variables of the page that follows @throws the error that a resolver threw
 */
export function runPages<Data>(
  graph: Graph,
  request: OperationRun,
  next: (data: Data) => Variables | undefined,
  caller?: Caller,
): Promise<Data[]> {
  const { workload, deps } = graph
  const cost = costOf(graph, request.operation, request.variables)
  const page = async (reader: Reader, more: object) => {
    const variables = { ...request.variables, ...more }
    return dataOf<Data>(answered(await read(graph, { ...request, variables }, reader, caller)))
  }
  const all = async (reader: Reader) => {
    const pages: Data[] = []
    for (let more: object | undefined = {}; more; ) {
      const data: Data = await page(reader, more)
      pages.push(data)
      more = next(data)
    }
    return pages
  }
  const some = async (reader: Reader) => {
    const first = await page(reader, {})
    return next(first) ? reader.snapshot(all) : [first]
  }
  return workload.run(cost, caller, () => readFor(deps.store, some, caller, workload.isLarge(cost)))
}

// The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT.
function origin({ errors: [error] = [] }: ExecutionResult): unknown {
  let cause: Error | undefined = error?.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error)
    cause = cause.originalError
  return (
    cause ??
    (error?.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
  )
}
