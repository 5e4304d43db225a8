import type { RefusalCode } from '../errors.ts'
import type { Graph } from './execution/execute.ts'
import type { Documents } from './policy/documents.ts'
import type { Limiter } from './policy/limits.ts'

/** The graph as clients have it: with limits, and documents that they need not send. */
export interface ServedGraph extends Graph {
  limiter: Limiter
  documents: Documents
  /** Told of each operation that is refused before anything of it runs. */
  onRefusal(code: RefusalCode): void
  /** Told of each code among the errors of an operation that ran. */
  onFailure(code: string): void
  /** Told of each query that runs without a plan, with the reason. */
  onUnplanned(reason: string): void
}
