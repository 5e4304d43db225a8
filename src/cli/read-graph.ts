import { readSnapshot } from '../db/connect/store.ts'
import type { Deps } from '../deps.ts'
import { type Execute, executor } from '../graphql/execution/execute.ts'
import { createContext } from '../graphql/execution/graph.ts'
import { Operations } from '../graphql/execution/operations.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { CLI } from './command.ts'

/** Runs GraphQL operations on one snapshot of the store, so that commands show what clients see. */
export function readGraph<T>(deps: Deps, work: (execute: Execute) => Promise<T>): Promise<T> {
  const schema = createSchema()
  const operations = new Operations(schema, { plan: deps.config.PLAN === 'on' })
  const graph = { schema, operations, deps }
  return readSnapshot(deps.store, (reader) => work(executor(graph, createContext(graph, reader, { name: CLI }))))
}
