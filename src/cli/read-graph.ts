import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { readFor } from '../db/connect/reader.ts'
import type { Deps } from '../deps.ts'
import { openGraph } from '../graphql/execution/graph.ts'
import { executor } from '../graphql/execution/run.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { CLI } from './command.ts'

/** Runs a GraphQL operation, so that commands show what clients see. */
export function readGraph<Data, Variables>(
  deps: Deps,
  operation: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const graph = openGraph(createSchema(), deps, { plan: deps.config.PLAN === 'on' })
  return readFor(deps.store, operation, (reader) => executor(graph, reader, { name: CLI })(operation, variables))
}
