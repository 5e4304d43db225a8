import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, type ExecutionResult, OperationTypeNode } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { plainReader, readFor } from '../../db/connect/reader.ts'
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
import type { Operation } from './operations.ts'
import { type Outcome, resultOf } from './outcome.ts'
import { answerJson, resolvedParts } from './resolved.ts'

/** The request of an operation. It records the operation's name, cost and errors. */
export interface OperationCaller extends Caller {
  cost?: number | undefined
  /** The codes of the operation's errors. */
  errors: string[]
  /** The name of the admin who changes something. */
  admin?: string | undefined
  startOperation(name: string): void
}

/** The parts of a request that its operation uses. */
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
  params: DocumentReference & { operationName?: string; variables?: Record<string, unknown> },
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
  { name, type, document, operationName }: Operation,
  variables: Record<string, unknown>,
  { admin, charge, caller }: Call,
): Promise<void> | undefined {
  caller?.startOperation(name)
  if (caller && type === OperationTypeNode.MUTATION && typeof admin === 'object') caller.admin = admin.name
  const cost = limiter.assertAllowed(document, operationName, variables)
  if (caller) caller.cost = cost
  return charge && charged(charge, cost)
}

async function charged(charge: ChargeOperation, cost: number): Promise<void> {
  const message = await charge(cost)
  if (message !== undefined) throw refusal('RATE_LIMITED', message)
}

/** One execution of an operation. */
export interface Run {
  operation: Operation
  variables: Record<string, unknown>
  admin: Admin
  /** Why resolvers run it, although it may have a plan. */
  unplanned?: string | undefined
}

/**
 * Runs a query or a mutation: a query on one snapshot of the store, by its plan if it has one, else by resolvers. If a plan
 * rejects an argument or a value, resolvers run the query again, since their errors have a location in the document.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export async function run(graph: Graph, request: Run, caller?: Caller): Promise<Outcome> {
  const { operation, variables, unplanned } = request
  const { store } = graph.deps
  const failed = (result: ExecutionResult): Outcome => ({
    failed: operation.warnings ? { ...result, extensions: { ...operation.warnings } } : result,
  })
  let planned = unplanned === undefined
  const read = async (reader: Reader): Promise<Outcome> => {
    const data = planned ? await operation.plan.run(reader, variables) : undefined
    if (data) return { json: data.json() }
    planned = false
    const resolved = await resolve(graph, request, reader)
    return 'failed' in resolved ? failed(resolved.failed) : { json: resolved.json() }
  }
  const attempt = () =>
    operation.snapshot ? readFor(store, operation.document, read, caller) : read(plainReader(store))
  try {
    return await attempt()
  } catch (error) {
    if (!planned || !(isCallersMistake(error) || error instanceof NoJson)) return failed(resultOf(error))
  }
  planned = false
  return attempt().catch((error) => failed(resultOf(error)))
}

/** Runs an operation on resolvers. */
async function resolve(
  graph: Graph,
  { operation, variables, admin, unplanned }: Run,
  reader: Reader,
): Promise<Planned | { failed: ExecutionResult }> {
  const result = await operation.resolve(createContext(graph, reader, admin), variables, unplanned)
  if (result.errors) return { failed: result }
  return {
    json: () => answerJson(result.data, reader.maxBytes),
    parts: () => resolvedParts(operation.document, result.data),
  }
}

/** Runs operations of this program on one reader. */
export interface Execute {
  <Data, Variables>(operation: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data>
  /**
   * Returns the rows of the operation's only list separately, as JSON; the list in `data` is empty. Objects selected
   * with `@flat` are merged into their parents.
   */
  rows<Data, Variables>(
    operation: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<{ data: Data; rows: Rows }>
}

/**
 * Runs operations of this program on one reader. They are not validated, since code generation has done so.
 * @throws the error that a resolver threw
 */
export function executor(graph: Graph, reader: Reader, admin: Admin): Execute {
  const answer = async (document: DocumentNode, values: unknown): Promise<Planned> => {
    const operation = graph.operations.of(document) as Operation
    const variables = values as Record<string, unknown>
    const answered =
      (await operation.plan.run(reader, variables)) ?? (await resolve(graph, { operation, variables, admin }, reader))
    if ('failed' in answered) throw origin(answered.failed)
    return answered
  }
  const whole = async <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) =>
    parseExact((await answer(document, variables)).json()) as Data
  const rows: Execute['rows'] = async (document, variables) => {
    const { data, rows } = (await answer(document, variables)).parts()
    return { data: parseExact(data) as never, rows }
  }
  return Object.assign(whole, { rows })
}

/** The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT. */
function origin({ errors: [error] = [] }: ExecutionResult): unknown {
  let cause: Error | undefined = error?.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error?.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
