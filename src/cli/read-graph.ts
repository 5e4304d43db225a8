import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Deps } from '../deps.ts'
import { openGraph } from '../graphql/execution/graph.ts'
import { runDocument } from '../graphql/execution/run.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { CLI } from './command.ts'

/** Runs a GraphQL operation, so that commands show what clients see. */
export function readGraph<Data, Variables>(
  deps: Deps,
  operation: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const graph = openGraph(createSchema(deps), deps)
  return runDocument(graph, operation, variables, { admin: { name: CLI } })
}
