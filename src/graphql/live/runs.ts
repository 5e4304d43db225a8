import type { Notifications } from '../../db/connect/notifications.ts'
import type { Store } from '../../db/connect/store.ts'
import { type EndedRun, endedRuns } from '../../domain/distribution/ended-runs.ts'
import type { Log } from '../../log.ts'
import { Inbox, type Join } from './inbox.ts'

export interface RunEvent {
  id: bigint
}

interface RunsOptions {
  notifications: Notifications
  store: Store
  log: Log
}

export const MAX_WAITING = 1000
const BATCH_MS = 10
const RETRY_MS = 1000
// The end of a run is recorded shortly before it is committed and notified.
const OVERLAP_MS = 10 * 60_000

/** Publishes each successful run once, also one that ended while notifications did not arrive. */
export class Runs {
  readonly #options: RunsOptions
  readonly #followers = new Set<{ day: string | undefined; inbox: Inbox<RunEvent> }>()
  readonly #unsubscribe: (() => void)[]
  // Published runs with the time, since an end may be seen twice.
  readonly #published = new Map<string, number>()
  readonly #arrived = new Set<string>()
  #ups = 0
  #isConnected = false
  #missedSince: number | undefined = performance.now()
  #hasCaughtUp = false
  #isReading = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: RunsOptions) {
    this.#options = options
    const { notifications } = options
    this.#unsubscribe = [
      notifications.subscribe('gateway_run', (id) => {
        if (!/^\d{1,18}$/.test(id)) return
        this.#arrived.add(id)
        this.#readIn(BATCH_MS)
      }),
      notifications.onUp(() => {
        this.#ups++
        this.#isConnected = true
        this.#readIn(0)
      }),
      notifications.onDown((since) => {
        this.#isConnected = false
        this.#missedSince ??= since
      }),
    ]
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /**
   * Successful runs, of one date or all. A reader that is more than `MAX_WAITING` behind loses the
   * oldest.
   */
  follow(day: string | undefined): AsyncIterableIterator<RunEvent> {
    const follower = {
      day,
      inbox: new Inbox<RunEvent>(newest, () => this.#followers.delete(follower)),
    }
    this.#followers.add(follower)
    return follower.inbox
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const end of this.#unsubscribe) end()
    for (const { inbox } of this.#followers) inbox.return()
  }

  #readIn(ms: number): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#read(), ms)
  }

  async #read(): Promise<void> {
    this.#timer = undefined
    if (this.#isReading) return
    this.#isReading = true
    const { log } = this.#options
    let pause = BATCH_MS
    try {
      if (this.#missedSince !== undefined) await this.#publishMissed(this.#missedSince)
      await this.#publishArrived()
    } catch (error) {
      if (!this.#closed) log.warn({ err: error }, 'runs that ended cannot be read, trying again')
      pause = RETRY_MS
    }
    this.#isReading = false
    if (this.#isConnected && (this.#missedSince !== undefined || this.#arrived.size > 0))
      this.#readIn(pause)
  }

  async #publishMissed(since: number): Promise<void> {
    const { store } = this.#options
    const ups = this.#ups
    const missedMs = () => performance.now() - since
    // Runs that ended before this gateway started were not missed. The clock is read after the
    // query, which may have waited.
    for (const run of await endedRuns(store.pool, { withinMs: missedMs() + OVERLAP_MS }))
      if (!this.#hasCaughtUp && run.msAgo > missedMs())
        this.#published.set(run.id, performance.now())
      else this.#publish(run)
    this.#hasCaughtUp = true
    if (this.#isConnected && this.#ups === ups) this.#missedSince = undefined
  }

  async #publishArrived(): Promise<void> {
    const ids = [...this.#arrived]
    if (ids.length > 0)
      for (const run of await endedRuns(this.#options.store.pool, { ids })) this.#publish(run)
    for (const id of ids) this.#arrived.delete(id)
    for (const [id, at] of this.#published) {
      if (performance.now() - at < 2 * OVERLAP_MS) break
      this.#published.delete(id)
    }
  }

  #publish({ id, day, succeeded }: EndedRun): void {
    if (this.#published.has(id)) return
    this.#published.set(id, performance.now())
    if (!succeeded) return
    for (const follower of this.#followers)
      if (follower.day === undefined || follower.day === day) follower.inbox.put({ id: BigInt(id) })
  }
}

const newest: Join<RunEvent> = (waiting, added) => {
  if (waiting.length === MAX_WAITING) waiting.shift()
  waiting.push(added)
}
