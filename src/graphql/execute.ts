import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { execute, type GraphQLError, type GraphQLSchema } from 'graphql'
import type { Reader } from '../db/reader.ts'
import { GatewayError } from '../errors.ts'
import { type Admin, Batches, type GraphContext } from './context.ts'
import type { GatewayDeps } from './deps.ts'
import type { Operations } from './operations.ts'

/** What operations run on. */
export interface Graph {
  schema: GraphQLSchema
  operations: Operations
  deps: GatewayDeps
}

export function createContext({ deps }: Graph, reader: Reader, admin: Admin): GraphContext {
  return { deps, reader, admin, batches: new Batches() }
}

/** Runs an operation in process. */
export type Execute = <Data, Variables>(
  operation: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) => Promise<Data>

/**
 * Runs operations of this program (they were validated when their types were generated) on one context.
 * @throws the error that a resolver threw
 */
export function executor(graph: Graph, context: GraphContext): Execute {
  return async (document, variables) => {
    const compiled = graph.operations.own(document)
    const result = compiled
      ? await compiled.run({}, context, variables as Record<string, unknown>)
      : await execute({
          schema: graph.schema,
          document,
          variableValues: variables as Record<string, unknown>,
          contextValue: context,
        })
    const error = result.errors?.[0]
    if (error) throw origin(error as GraphQLError)
    return result.data as never
  }
}

/** What a resolver threw; an argument that the graph itself refused is bad input. */
function origin(error: GraphQLError): unknown {
  let cause: Error | undefined = error.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error) cause = cause.originalError
  return cause ?? (error.extensions.code === 'BAD_INPUT' ? new GatewayError('BAD_INPUT', error.message) : error)
}
