import { GatewayError } from '../../errors.ts'
import { tooSlow } from '../faults.ts'

/** Whether a result is no longer needed. An AbortSignal is one, and so is a client's connection. */
export interface Cancellation {
  readonly aborted: boolean
}

/** Bounds the reads of one operation: its statements share a deadline, and end when its result is no longer needed. */
export interface ReadScope {
  /** By `performance.now()`. Infinite if there is no limit. */
  readonly deadline: number
  readonly cancellation: Cancellation | undefined
}

/** Why the reads of a scope must end now. Undefined if they may continue. */
export function endOf({ deadline, cancellation }: ReadScope, now: number): GatewayError | undefined {
  if (cancellation?.aborted) return new GatewayError('UNAVAILABLE', 'The client has gone.')
  return now >= deadline ? tooSlow() : undefined
}
