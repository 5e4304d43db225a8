import { setTimeout as sleep } from 'node:timers/promises'
import type { Notifications } from '../connect/notifications.ts'
import type { Caller } from '../connect/scope.ts'
import { storeFault, unavailable } from '../faults.ts'
import { systemIdentifierOf } from '../server/system-identifier.ts'
import { FAULTS, Replica, type ReplicaFault, ReplicaRead } from './replica.ts'
import { type ServerConnections, type Sight, WatchedServer } from './watched-server.ts'

interface ReplicasOptions<Store extends ServerConnections> {
  primary: Store
  replicas: ReadonlyMap<string, Store>
  notifications: Notifications
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

const CHECK_MS = 1000
// From when on a replica that lags is reported. It is not read before either.
const BEHIND_MS = 5000
const FOLLOW_MS = 5
const MAX_FOLLOW_MS = 200

/**
 * Spreads reads over streaming replicas. No answer goes back in time: a replica is read only if it
 * has the newest data version that this gateway knows and that the client requires. Otherwise the
 * primary is read. The version of a server is read after each answer, so that the answer's version
 * is never understated. A read that fails on a replica is read once more, from the primary.
 */
export class Replicas<Store extends ServerConnections> {
  readonly #options: ReplicasOptions<Store>
  readonly #primary: WatchedServer<Store>
  readonly #replicas: Replica<Store>[]
  readonly #raised = new Set<() => void>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void)[] = []
  #floor = 0
  #newest: Sight | undefined
  // The number of notified changes, and how many of them the floor includes.
  #changes = 0
  #learned = -1
  #systemIdentifier: string | undefined
  #turn = 0
  /**
   * Called with the server of each read, `primary` or a replica, after it has ended. A failed one
   * runs on the primary.
   */
  onRead: ((server: string, outcome: 'ok' | 'failed') => void) | undefined

  constructor(options: ReplicasOptions<Store>) {
    this.#options = options
    this.#primary = new WatchedServer(options.primary, (sight) => this.#sawPrimary(sight))
    this.#replicas = [...options.replicas].map(
      ([name, store]) =>
        new Replica(name, store, (replica, sight) => this.#sawReplica(replica, sight)),
    )
  }

  /** Starts to check the replicas. Until they have been checked, the primary is read. */
  start(): void {
    const { notifications } = this.#options
    const changed = () => void this.changed()
    // The primary may have been restored meanwhile, or replaced.
    const up = () => {
      for (const server of [this.#primary, ...this.#replicas.map(({ server }) => server)])
        server.seen = 0
      this.#floor = 0
      this.#newest = undefined
      changed()
    }
    this.#unsubscribe = [notifications.subscribe('gateway_data', changed), notifications.onUp(up)]
    this.#timer = setInterval(() => this.#checkAll(), CHECK_MS).unref()
    this.#checkAll()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const replica of this.#replicas) replica.lose()
    await Promise.all(this.#replicas.map(({ server }) => server.store.close()))
  }

  /** Calls `listener` when an answer is newer than all before, so that these are outdated. */
  onRaise(listener: () => void): void {
    this.#raised.add(listener)
  }

  get states(): { name: string; fault: ReplicaFault | undefined; behindSeconds: number }[] {
    return this.#replicas.map(({ name, fault, behindSince }) => ({
      name,
      fault,
      behindSeconds: behindSince === undefined ? 0 : (performance.now() - behindSince) / 1000,
    }))
  }

  /**
   * Learns the version of a change. Until then the primary is read.
   * @returns a version that includes the change. Undefined if the primary does not answer
   */
  async changed(): Promise<number | undefined> {
    const change = ++this.#changes
    const version = await this.#primary.look().then(
      (sight) => sight.version,
      () => undefined,
    )
    if (version === undefined) return undefined
    this.#learned = Math.max(this.#learned, change)
    this.#followAll()
    return version
  }

  raise(version: number): void {
    if (version <= this.#floor) return
    this.#floor = version
    for (const listener of this.#raised) listener()
    this.#followAll()
  }

  /** Reads from a replica, or from the primary. `work` may run more than once. */
  async read<T>(
    work: (store: Store, caller: Caller | undefined) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<T> {
    const min = Math.max(this.#floor, caller?.minVersion ?? 0)
    const replica = this.#pick(min)
    const done = replica && (await this.#readReplica(replica, work, caller))
    return done ? done.result : this.#readPrimary(work, caller)
  }

  #pick(min: number): Replica<Store> | undefined {
    if (this.#learned < this.#changes) return undefined
    let best: Replica<Store> | undefined
    const count = this.#replicas.length
    this.#turn = (this.#turn + 1) % count
    for (let i = 0; i < count; i++) {
      const replica = this.#replicas[(this.#turn + i) % count] as Replica<Store>
      if (replica.fault === undefined && replica.server.seen >= min)
        if (!best || replica.attempts.size < best.attempts.size) best = replica
    }
    return best
  }

  // Returns undefined if the replica failed.
  async #readReplica<T>(
    replica: Replica<Store>,
    work: (store: Store, caller: Caller) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<{ result: T } | undefined> {
    const { server } = replica
    caller?.onDecision?.('server', replica.name)
    const from = server.seen
    const attempt = new ReplicaRead(caller)
    replica.attempts.add(attempt)
    const run = async () => {
      const result = await work(server.store, attempt)
      if (attempt.failed) throw unavailable()
      const { version } = await server.look()
      // It was promoted or replaced meanwhile.
      if (replica.fault !== undefined || (await this.#isAhead(version))) throw unavailable()
      return { result, version }
    }
    const lost = new Promise<never>((_, reject) => {
      attempt.reject = reject
    })
    try {
      const { result, version } = await Promise.race([run(), lost])
      this.raise(version)
      caller?.onVersions?.({ from, to: version })
      this.onRead?.(replica.name, 'ok')
      return { result }
    } catch (error) {
      if (caller?.aborted || !(attempt.failed || attempt.abandoned || isOfServer(error)))
        throw error
      attempt.abandoned = true
      this.onRead?.(replica.name, 'failed')
      void this.#check(replica)
      return undefined
    } finally {
      replica.attempts.delete(attempt)
    }
  }

  // True if a replica shows what the primary does not: for an instant each commit, or always if it
  // is on another timeline.
  async #isAhead(version: number): Promise<boolean> {
    if (version <= this.#primary.seen) return false
    return this.#primary.look().then(
      () => version > this.#primary.seen,
      // A primary that is away shows nothing newer.
      () => false,
    )
  }

  async #readPrimary<T>(
    work: (store: Store, caller: Caller | undefined) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<T> {
    caller?.onDecision?.('server', 'primary')
    const from = this.#primary.seen
    const result = await work(this.#primary.store, caller)
    const { version } = await this.#primary.look()
    caller?.onVersions?.({ from, to: version })
    this.onRead?.('primary', 'ok')
    return result
  }

  #sawPrimary(sight: Sight): void {
    this.#newest = sight
    this.#primary.seen = Math.max(this.#primary.seen, sight.version)
    this.raise(sight.version)
  }

  #sawReplica(replica: Replica<Store>, sight: Sight): void {
    const { server } = replica
    const { version } = sight
    if (!sight.inRecovery) this.#fail(replica, 'promoted')
    // Another server answers at its address, or it is on another timeline.
    else if (version < server.seen || this.#hasOtherHistory(sight)) {
      server.seen = 0
      this.#fail(replica, 'foreign')
    } else {
      if (version === this.#newest?.version) replica.proven = true
      server.seen = version
    }
  }

  #fail(replica: Replica<Store>, fault: ReplicaFault): void {
    replica.proven = false
    replica.fault = fault
    replica.lose()
  }

  #checkAll(): void {
    // A change whose version could not be learned.
    if (this.#learned < this.#changes || this.#learned < 0) void this.changed()
    for (const replica of this.#replicas) void this.#check(replica)
  }

  // Finds out whether a replica may be read, and logs what has changed.
  async #check(replica: Replica<Store>): Promise<void> {
    if (replica.checking) return
    replica.checking = true
    try {
      const fault = await this.#faultOf(replica)
      if (fault === undefined || fault === 'behind') replica.fault = fault
      else this.#fail(replica, fault)
    } catch {
      this.#fail(replica, 'unreachable')
    }
    replica.checking = false
    if (replica.logged === replica.fault || this.#closing.signal.aborted) return
    const { log } = this.#options
    const { name, fault } = replica
    if (fault === undefined) log.info({ replica: name }, 'a replica is read')
    else log.warn({ replica: name, cause: FAULTS[fault] }, 'a replica is skipped')
    replica.logged = fault
  }

  async #faultOf(replica: Replica<Store>): Promise<ReplicaFault | undefined> {
    const { server } = replica
    const identifier = await systemIdentifierOf(server.store.probe)
    const sight = await server.look()
    if (!sight.inRecovery) return 'promoted'
    if (await this.#isForeign(replica, identifier, sight)) return 'foreign'
    return this.#isBehind(replica, sight.version) ? 'behind' : undefined
  }

  async #isForeign(
    replica: Replica<Store>,
    identifier: string | undefined,
    sight: Sight,
  ): Promise<boolean> {
    this.#systemIdentifier ??= await systemIdentifierOf(this.#primary.store.probe).catch(
      () => undefined,
    )
    const primary = this.#systemIdentifier
    if (identifier === undefined && !replica.proven) return true
    if (identifier !== undefined && primary !== undefined && identifier !== primary) return true
    return this.#hasOtherHistory(sight) || this.#isAhead(sight.version)
  }

  #hasOtherHistory({ version, history }: Sight): boolean {
    return version === this.#newest?.version && history !== this.#newest.history
  }

  #isBehind(replica: Replica<Store>, version: number): boolean {
    if (version >= this.#floor) {
      replica.behindSince = undefined
      return false
    }
    replica.behindSince ??= performance.now()
    void this.#follow(replica)
    return performance.now() - replica.behindSince > BEHIND_MS
  }

  #followAll(): void {
    for (const replica of this.#replicas)
      if (replica.fault === undefined) void this.#follow(replica)
  }

  async #follow(replica: Replica<Store>): Promise<void> {
    if (replica.following) return
    replica.following = true
    const { server } = replica
    try {
      for (
        let pause = FOLLOW_MS;
        replica.fault === undefined && server.seen < this.#floor;
        pause *= 2
      ) {
        await server.look()
        if (server.seen >= this.#floor) break
        const { signal } = this.#closing
        await sleep(Math.min(pause, MAX_FOLLOW_MS), undefined, { signal, ref: false })
      }
    } catch {
      void this.#check(replica)
    } finally {
      replica.following = false
    }
  }
}

// True if a read failed by its server, so that another one may answer it.
function isOfServer(error: unknown): boolean {
  const code = storeFault(error)?.code
  return code === 'UNAVAILABLE' || code === 'FORBIDDEN'
}
