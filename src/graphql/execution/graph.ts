import type { GraphQLSchema } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { type Admin, Batches, type GraphContext } from '../context.ts'
import type { GatewayDeps } from '../deps.ts'
import type { Operations } from './operations.ts'

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
