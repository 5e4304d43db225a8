import { GatewayError } from '../../errors.ts'
import { tooSlow } from '../faults.ts'

/** A statement of a reader, after it has ended. */
export interface Statement {
  text: string
  /** When it was sent, by `performance.now()`. */
  sentAt: number
  /** How long it took, in milliseconds, without the wait for a connection. */
  ms: number
  outcome: 'ok' | 'failed' | 'timeout'
}

/** The data version of an answer is between these two. */
export interface DataVersions {
  from: number
  to: number
}

/** The decisions about a read, in order. */
export type Decision = 'cache' | 'server' | 'run' | 'lane'

/** Who waits for the result of a read. An AbortSignal is one, and so is an HTTP request. */
export interface Caller {
  readonly aborted: boolean
  onStatement?(statement: Statement): void
  /** The data version that its answer must have at least. */
  readonly minVersion?: number | undefined
  /** Called with each decision about its read. A read that runs again decides again. */
  onDecision?(decision: Decision, choice: string): void
  /** Called when its work must wait for other large work, and so needs no slot among requests. */
  onQueued?(): void
  /** Called with the data versions of its answer, where there are replicas. */
  onVersions?(versions: DataVersions): void
}

/**
 * Bounds the reads of one operation: its statements share a deadline, and end when its result is no
 * longer needed.
 */
export interface ReadScope {
  /** By `performance.now()`. Infinite if there is no limit. */
  readonly deadline: number
  readonly caller: Caller | undefined
  /** True if it is expected to be slow: it never takes a connection of quick reads. */
  readonly isLarge: boolean
}

/** Why the reads of a scope must end now. Undefined if they may continue. */
export function endOf({ deadline, caller }: ReadScope, now: number): GatewayError | undefined {
  if (caller?.aborted) return new GatewayError('UNAVAILABLE', 'The client has gone.')
  return now >= deadline ? tooSlow() : undefined
}
