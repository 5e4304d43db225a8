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

/** What operations run on. */
export interface Graph {
  schema: GraphQLSchema
  operations: Operations
  deps: GatewayDeps
}

export function createContext({ deps }: Graph, reader: Reader, admin: Admin): GraphContext {
  return { deps, reader, admin, batches: new Batches(reader) }
}

/** Runs operations in process. */
export interface Execute {
  <Data, Variables>(operation: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data>
  /**
   * What is selected of the operation's one list comes as JSON, beside the rest, where the list is empty. An object that is
   * selected with `@flat` is merged into the one that has it.
   */
  rows<Data, Variables>(
    operation: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<{ data: Data; rows: Rows }>
}

/**
 * Runs operations of this program (they were validated when their types were generated) on one context.
 * @throws the error that a resolver threw
 */
export function executor(graph: Graph, context: GraphContext): Execute {
  const plan = (document: DocumentNode, variables: unknown) =>
    graph.operations.own(document)?.plan.run(context.reader, variables as Record<string, unknown>)
  const run = async <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) => {
    const planned = await plan(document, variables)
    return (planned ? parseExact(planned.json()) : await resolve(document, variables)) as Data
  }
  const resolve = async (document: DocumentNode, variables: unknown) => {
    const variableValues = variables as Record<string, unknown>
    const result = await (graph.operations.own(document)?.run({}, context, variableValues) ??
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

/** What a resolver threw; an argument that the graph itself refused is bad input. */
function origin(error: GraphQLError): unknown {
  let cause: Error | undefined = error.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
