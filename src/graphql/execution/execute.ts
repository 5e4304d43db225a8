import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, execute, type GraphQLError, type GraphQLSchema } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { GatewayError } from '../../errors.ts'
import { parseExact } from '../../exact-number.ts'
import type { GatewayDeps } from '../deps.ts'
import type { Rows } from '../plan/plan.ts'
import { type Admin, Batches, type GraphContext } from './context.ts'
import type { Operations } from './operations.ts'
import { rowsOf } from './rows.ts'

/** The schema, its prepared operations, and the dependencies of resolvers. */
export interface Graph {
  schema: GraphQLSchema
  operations: Operations
  deps: GatewayDeps
}

/** Creates the context of one operation, with empty batches. */
export function createContext({ deps }: Graph, reader: Reader, admin: Admin): GraphContext {
  return { deps, reader, admin, batches: new Batches(reader) }
}

/** Runs operations in process. */
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
 * Runs operations of this program on one context. They are not validated, since code generation has done so.
 * @throws the error that a resolver threw
 */
export function executor(graph: Graph, context: GraphContext): Execute {
  const plan = (document: DocumentNode, variables: unknown) =>
    graph.operations.ofDocument(document)?.plan.run(context.reader, variables as Record<string, unknown>)
  const run = async <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) => {
    const planned = await plan(document, variables)
    return (planned ? parseExact(planned.json()) : await resolve(document, variables)) as Data
  }
  const resolve = async (document: DocumentNode, variables: unknown) => {
    const variableValues = variables as Record<string, unknown>
    const result = await (graph.operations.ofDocument(document)?.run({}, context, variableValues) ??
      execute({ schema: graph.schema, document, variableValues, contextValue: context }))
    const error = result.errors?.[0]
    if (error) throw origin(error as GraphQLError)
    return result.data
  }
  const rows: Execute['rows'] = async (document, variables) => {
    const planned = await plan(document, variables)
    if (!planned) return rowsOf(document, await resolve(document, variables)) as never
    const { data, rows } = planned.parts()
    return { data: parseExact(data) as never, rows }
  }
  return Object.assign(run, { rows })
}

/** The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT. */
function origin(error: GraphQLError): unknown {
  let cause: Error | undefined = error.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
