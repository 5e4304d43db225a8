import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Deps } from '../deps.ts'
import { Graph } from '../graphql/execution/graph.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { CLI } from './command.ts'

/** Runs a GraphQL operation, so that commands show what clients see. */
export function readGraph<Data, Variables>(
  deps: Deps,
  operation: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const graph = new Graph(createSchema(deps), deps)
  return graph.runDocument(operation, variables, { admin: { name: CLI } })
}
