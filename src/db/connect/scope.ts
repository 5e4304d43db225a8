import { GatewayError } from '../../errors.ts'
import { tooSlow } from '../faults.ts'

/** Says whether nobody waits for a result any more. An AbortSignal is one; so is a client whose connection is looked at. */
export interface Cancellation {
  readonly aborted: boolean
}

/** What bounds the reads of one operation: all its statements share one deadline, and end when nobody waits for them. */
export interface ReadScope {
  /** On the clock of `performance.now()`; infinite where there is no limit. */
  readonly deadline: number
  readonly cancellation: Cancellation | undefined
}

/** Why the reads of a scope must end now; undefined: they may go on. */
export function endOf({ deadline, cancellation }: ReadScope, now: number): GatewayError | undefined {
  if (cancellation?.aborted) return new GatewayError('UNAVAILABLE', 'The client has gone.')
  return now >= deadline ? tooSlow() : undefined
}
