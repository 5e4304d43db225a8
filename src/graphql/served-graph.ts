import type { RefusalCode } from '../errors.ts'
import type { Graph } from './execution/graph.ts'
import type { Documents } from './policy/documents.ts'
import type { Limiter } from './policy/limits.ts'

/** The graph as served to clients: with limits, and documents that they can send by id. */
export interface ServedGraph extends Graph {
  limiter: Limiter
  documents: Documents
  /** Called with the code of each operation that is rejected before it runs. */
  onRefusal(code: RefusalCode): void
  /** Called with each error code of an operation that ran. */
  onFailure(code: string): void
  /** Called with each query that runs without a plan, and the reason. */
  onUnplanned(reason: string): void
}
