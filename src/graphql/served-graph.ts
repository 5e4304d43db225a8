import type { RefusalCode } from '../errors.ts'
import type { Documents } from './documents.ts'
import type { Graph } from './execute.ts'
import type { Limiter } from './limits.ts'

/** The graph as clients have it: with limits, and documents that they need not send. */
export interface ServedGraph extends Graph {
  limiter: Limiter
  documents: Documents
  /** Told of each operation that is refused before anything of it runs. */
  onRefusal(code: RefusalCode): void
}
