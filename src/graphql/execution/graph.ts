import type { GraphQLSchema } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { type Admin, contextOf, type GraphContext } from '../context.ts'
import type { GatewayDeps } from '../deps.ts'
import { Documents } from '../policy/documents.ts'
import { Limiter, type Limits } from '../policy/limits.ts'
import { Operations } from './operations.ts'
import { Workload } from './workload.ts'

/**
 * The graph: its schema, its operations with their limits and documents, and the dependencies of
 * resolvers.
 */
export interface Graph {
  schema: GraphQLSchema
  limiter: Limiter
  documents: Documents
  operations: Operations
  workload: Workload
  deps: GatewayDeps
  count: Counts
}

export interface Counts {
  refusal(code: string): void
  failure(code: string): void
  unplanned(reason: string): void
}

interface GraphOptions {
  limits?: Limits
  /** True if queries are planned. If not, they all run on resolvers. */
  plan?: boolean
  documents?: Documents
  count?: Counts
  maxBytes?: number
}

const UNCOUNTED: Counts = { refusal() {}, failure() {}, unplanned() {} }

export function openGraph(
  schema: GraphQLSchema,
  deps: GatewayDeps,
  options: GraphOptions = {},
): Graph {
  const { documents = new Documents({ trusted: [], trustedOnly: false }), count = UNCOUNTED } =
    options
  const { limits, plan, maxBytes } = options
  const limiter = new Limiter(schema, limits)
  const operations = new Operations(schema, {
    limiter,
    plan,
    onUnplanned: count.unplanned,
    maxBytes,
  })
  const workload = new Workload(limiter.limits.cost)
  return { schema, limiter, documents, operations, workload, deps, count }
}

/** Creates the context of one operation. */
export const createContext = ({ deps }: Graph, reader: Reader, admin: Admin): GraphContext =>
  contextOf(deps, reader, admin)
