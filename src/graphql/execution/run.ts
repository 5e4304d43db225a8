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
 * Runs a query or a mutation: a query on one snapshot of the store, by its plan if it has one, else by resolvers. If a plan
 * rejects an argument or a value, resolvers run the query again, since their errors have a location in the document.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function run(graph: Graph, request: Run, caller?: Caller): Promise<Outcome> {
  const { operation, variables, unplanned } = request
  const { store } = graph.deps
  const failed = (result: ExecutionResult): Outcome => ({
    failed: operation.warnings ? { ...result, extensions: { ...operation.warnings } } : result,
  })
  let planned = unplanned === undefined
  const readResolved = async (reader: Reader): Promise<Outcome> => {
    planned = false
    const resolved = await resolve(graph, request, reader)
    return 'failed' in resolved ? failed(resolved.failed) : { json: resolved.json() }
  }
  const read = (reader: Reader): Promise<Outcome> =>
    planned
      ? operation.plan.run(reader, variables).then((data) => (data ? { json: data.json() } : readResolved(reader)))
      : readResolved(reader)
  const attempt = () =>
    operation.snapshot ? readFor(store, operation.document, read, caller) : read(plainReader(store))
  return attempt().catch((error) => {
    if (!planned || !(isCallersMistake(error) || error instanceof NoJson)) return failed(resultOf(error))
    planned = false
    return attempt().catch((error) => failed(resultOf(error)))
  })
}

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

/** Runs an operation of this program on one reader. */
export interface Execute<Data, Variables> {
  (variables: Variables): Promise<Data>
  /**
   * Returns the rows of the operation's only list separately, as JSON; the list in `data` is empty. Objects selected
   * with `@flat` are merged into their parents.
   */
  rows(variables: Variables): Promise<{ data: Data; rows: Rows }>
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
  const answer = <T>(values: Variables, present: (planned: Planned) => T): Promise<T> => {
    const variables = values as Record<string, unknown>
    const resolved = async () => {
      const answered = await resolve(graph, { operation, variables, admin }, reader)
      if ('failed' in answered) throw origin(answered.failed)
      return present(answered)
    }
    return operation.plan.run(reader, variables).then((planned) => (planned ? present(planned) : resolved()))
  }
  const whole = (variables: Variables) => answer(variables, (planned) => parseExact(planned.json()) as Data)
  const rows = (variables: Variables) =>
    answer(variables, (planned) => {
      const { data, rows } = planned.parts()
      return { data: parseExact(data) as Data, rows }
    })
  return Object.assign(whole, { rows })
}

/** Prepares an operation of this program. @returns a function that reads with it, all on one snapshot of the store */
export function reads<Data, Variables>(
  graph: Graph,
  document: TypedDocumentNode<Data, Variables>,
  admin: Admin = 'no',
) {
  const operation = graph.operations.of(document) as Operation
  return <T>(work: (execute: Execute<Data, Variables>) => Promise<T>, caller?: Caller): Promise<T> =>
    readFor(graph.deps.store, document, (reader) => work(executor(graph, operation, reader, admin)), caller)
}

/** The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT. */
function origin({ errors: [error] = [] }: ExecutionResult): unknown {
  let cause: Error | undefined = error?.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error?.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
