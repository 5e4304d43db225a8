import type { ExecutionResult } from 'graphql'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Notifications } from '../../db/connect/notifications.ts'
import type { Store } from '../../db/connect/store.ts'
import { type EndedRun, endedRuns } from '../../domain/distribution/ended-runs.ts'
import { GatewayError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { Inbox, type Join } from './inbox.ts'
import { type Fetch, SharedResult } from './shared-result.ts'
import type { Slots } from './slots.ts'

/** The stored data may have changed. */
export interface ChangeEvent {
  /** True if the event is sent even if the data version is unchanged. */
  anyway: boolean
}

/** A run has succeeded. */
export interface RunEvent {
  id: bigint
}

/** The answer of a live query: its result and its JSON text. Errors are presented to each subscriber separately. */
export interface LiveAnswer {
  text: string
  failed?: ExecutionResult
}

/** The source of subscription events: notifications of the store, distributed to subscribers. */
export interface Live {
  /** Open subscriptions. */
  readonly open: number
  /** True if notifications of the store arrive. */
  readonly connected: boolean
  /** The bytes of the newest answers of live queries. */
  readonly bytes: number
  /**
   * Takes one of the slots for subscriptions.
   * @returns frees it
   * @throws UNAVAILABLE if none is free, RATE_LIMITED if the client has used all of its slots
   */
  enter(client: string): () => void
  /** One event at once, then one for all changes within a quarter of a second. A slow reader gets one event for all. */
  changes(): AsyncIterableIterator<ChangeEvent>
  /**
   * Successful runs, of one date or all. Each is reported once, also one that ended while notifications did not arrive. A
   * reader that is more than `MAX_WAITING` behind loses the oldest.
   */
  runs(day: string | undefined): AsyncIterableIterator<RunEvent>
  /**
   * Answers of a query: the current one, and after changes each one that differs from the last. Subscribers with the same key
   * share the reads.
   */
  answers(key: string, read: Fetch<LiveAnswer>): AsyncIterableIterator<LiveAnswer>
  /** Runs `work` in a slot, so that subscriptions do not use all connections to the store. */
  turn<T>(work: () => Promise<T>): Promise<T>
  close(): void
}

export interface LiveOptions {
  notifications: Notifications
  store: Store
  log: Log
  /** The slots for subscriptions. */
  slots: Slots
  /** The maximum number of concurrent reads for events. */
  maxReads: number
  /** The memory that the newest answers of live queries may take. */
  maxBytes: number
}

export const MAX_WAITING = 1000
/** The memory of an answer without its text. */
const RESULT_BYTES = 500
const COALESCE_MS = 250
const BATCH_MS = 10
const RETRY_MS = 1000
/** The end of a run is recorded shortly before it is committed and notified. */
const OVERLAP_MS = 10 * 60_000

export function openLive({ notifications, store, log, slots, maxReads, maxBytes }: LiveOptions): Live {
  let closed = false
  const turn = pLimit(maxReads)

  const changeInboxes = new Set<Inbox<ChangeEvent>>()
  const shared = new Map<string, SharedResult<LiveAnswer>>()
  const results = new LRUCache<object, LiveAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ text }) => 2 * text.length + RESULT_BYTES,
  })
  let changeTimer: NodeJS.Timeout | undefined
  const tellChange = (anyway: boolean) => {
    clearTimeout(changeTimer)
    changeTimer = undefined
    for (const inbox of changeInboxes) inbox.put({ anyway })
    for (const result of shared.values()) result.changed()
  }

  const runInboxes = new Set<{ day: string | undefined; inbox: Inbox<RunEvent> }>()
  /** Reported runs with the time, since an end may be seen twice. */
  const reported = new Map<string, number>()
  const arrived = new Set<string>()
  let ups = 0
  /** The time since which ends of runs may have been missed. */
  let deafSince: number | undefined = performance.now()
  let caughtUpOnce = false
  let reading = false
  let runTimer: NodeJS.Timeout | undefined

  const tellRun = ({ id, day, succeeded }: EndedRun) => {
    if (reported.has(id)) return
    reported.set(id, performance.now())
    if (!succeeded) return
    for (const { day: wanted, inbox } of runInboxes)
      if (wanted === undefined || wanted === day) inbox.put({ id: BigInt(id) })
  }
  const tellMissed = async (since: number) => {
    const [upsBefore, deafMs] = [ups, performance.now() - since]
    // Runs that ended before this gateway started were not missed.
    for (const run of await endedRuns(store.pool, { withinMs: deafMs + OVERLAP_MS }))
      if (!caughtUpOnce && run.msAgo > deafMs) reported.set(run.id, performance.now())
      else tellRun(run)
    caughtUpOnce = true
    if (notifications.connected && ups === upsBefore) deafSince = undefined
  }
  const tellArrived = async () => {
    const ids = [...arrived]
    if (ids.length > 0) for (const run of await endedRuns(store.pool, { ids })) tellRun(run)
    for (const id of ids) arrived.delete(id)
    for (const [id, at] of reported) {
      if (performance.now() - at < 2 * OVERLAP_MS) break
      reported.delete(id)
    }
  }
  const tellRuns = async () => {
    runTimer = undefined
    if (reading) return
    reading = true
    let pause = BATCH_MS
    try {
      if (deafSince !== undefined) await tellMissed(deafSince)
      await tellArrived()
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'runs that ended cannot be read, trying again')
      pause = RETRY_MS
    }
    reading = false
    if (notifications.connected && (deafSince !== undefined || arrived.size > 0)) soon(pause)
  }
  const soon = (ms: number) => {
    if (!closed) runTimer ??= setTimeout(() => void tellRuns(), ms)
  }

  const unsubscribe = [
    notifications.subscribe('gateway_data', () => {
      changeTimer ??= setTimeout(() => tellChange(false), COALESCE_MS)
    }),
    notifications.subscribe('gateway_run', (id) => {
      if (!/^\d{1,18}$/.test(id)) return
      arrived.add(id)
      soon(BATCH_MS)
    }),
    notifications.onUp(() => {
      ups++
      tellChange(ups > 1)
      soon(0)
    }),
    notifications.onDown(() => {
      deafSince ??= performance.now()
    }),
  ]

  return {
    get open() {
      return slots.used
    },
    get connected() {
      return notifications.connected
    },
    get bytes() {
      return results.calculatedSize
    },
    enter(client) {
      if (closed) throw new GatewayError('UNAVAILABLE', 'The server is closing. Subscribe again in a moment.')
      return slots.enter(client)
    },
    changes() {
      const inbox = new Inbox<ChangeEvent>(merged, () => changeInboxes.delete(inbox))
      changeInboxes.add(inbox)
      inbox.put({ anyway: true })
      return inbox
    },
    runs(day) {
      const entry = { day, inbox: new Inbox<RunEvent>(newest, () => runInboxes.delete(entry)) }
      runInboxes.add(entry)
      return entry.inbox
    },
    answers(key, read) {
      let result = shared.get(key)
      if (!result) {
        result = new SharedResult(read, results, () => shared.delete(key))
        shared.set(key, result)
      }
      return result.join()
    },
    turn: (work) => turn(work),
    close() {
      closed = true
      clearTimeout(changeTimer)
      clearTimeout(runTimer)
      for (const end of unsubscribe) end()
      for (const inbox of changeInboxes) inbox.return()
      for (const { inbox } of runInboxes) inbox.return()
      for (const result of shared.values()) result.end()
    },
  }
}

const merged: Join<ChangeEvent> = (waiting, { anyway }) => {
  waiting[0] = { anyway: anyway || (waiting[0]?.anyway ?? false) }
}

const newest: Join<RunEvent> = (waiting, added) => {
  if (waiting.length === MAX_WAITING) waiting.shift()
  waiting.push(added)
}
