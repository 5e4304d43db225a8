import type { Caller, Decision, Statement } from '../connect/scope.ts'
import { unavailable } from '../faults.ts'
import { type ServerConnections, type Sight, WatchedServer } from './watched-server.ts'

export type ReplicaFault = 'unreachable' | 'promoted' | 'foreign' | 'behind'

export const FAULTS: Record<ReplicaFault, string> = {
  unreachable: 'it cannot be reached or read',
  promoted: 'it is not in recovery, so it no longer follows the primary',
  foreign: 'it is not a copy of the server of DATABASE_URL, or that cannot be proven yet',
  behind: 'it is far behind the primary',
}

/** A read on a replica. It is abandoned when the replica is lost. */
export class ReplicaRead implements Caller {
  readonly #caller: Caller | undefined
  failed = false
  abandoned = false
  reject: (error: Error) => void = () => {}

  constructor(caller: Caller | undefined) {
    this.#caller = caller
  }

  get aborted(): boolean {
    return this.abandoned || (this.#caller?.aborted ?? false)
  }

  onStatement(statement: Statement): void {
    if (statement.outcome === 'failed') this.failed = true
    this.#caller?.onStatement?.(statement)
  }

  onDecision(decision: Decision, choice: string): void {
    this.#caller?.onDecision?.(decision, choice)
  }
}

/** A streaming replica: its server, the reads on it, and whether it may be read. */
export class Replica<Store extends ServerConnections> {
  readonly name: string
  readonly server: WatchedServer<Store>
  readonly attempts = new Set<ReplicaRead>()
  /** Undefined: it may be read. */
  fault: ReplicaFault | undefined = 'unreachable'
  /** The fault in the last log line. Null before the first one. */
  logged: ReplicaFault | undefined | null = null
  /** True if it was seen to have the same data as the primary. */
  proven = false
  checking = false
  following = false
  /** Since when it is behind. */
  behindSince: number | undefined

  constructor(
    name: string,
    store: Store,
    onSight: (replica: Replica<Store>, sight: Sight) => void,
  ) {
    this.name = name
    this.server = new WatchedServer(store, (sight) => onSight(this, sight))
  }

  lose(): void {
    for (const attempt of this.attempts) {
      attempt.abandoned = true
      attempt.reject(unavailable())
    }
    this.attempts.clear()
  }
}
