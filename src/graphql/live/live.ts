import { hash } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Notifications } from '../../db/connect/notifications.ts'
import type { Store } from '../../db/connect/store.ts'
import { GatewayError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { Inbox, type Join } from './inbox.ts'
import { type RunEvent, Runs } from './runs.ts'
import type { Slots } from './slots.ts'

/** The stored data may have changed. */
export interface ChangeEvent {
  /** True if the event is sent even if the data version is unchanged. */
  anyway: boolean
}

/**
 * The answer of a live query: its result and its JSON text. Errors are presented to each subscriber
 * separately.
 */
export interface LiveAnswer {
  text: string
  failed?: ExecutionResult
}

// Calls `begin` before each attempt, and sees all data stored by then. It does not throw, and
// returns undefined if the signal aborted it.
type ReadAnswer = (begin: () => void, signal: AbortSignal) => Promise<LiveAnswer | undefined>

// The newest answers, up to a sum of bytes. One that is dropped is read again for a subscriber that
// still needs it.
type Answers = LRUCache<object, LiveAnswer>

interface LiveOptions {
  notifications: Notifications
  store: Store
  log: Log
  slots: Slots
  maxReads: number
  maxBytes: number
}

const ANSWER_BYTES = 500
const COALESCE_MS = 250

/** The source of subscription events: notifications of the store, distributed to subscribers. */
export class Live {
  readonly #slots: Slots
  readonly #limit: LimitFunction
  readonly #changes = new Set<Inbox<ChangeEvent>>()
  readonly #runs: Runs
  readonly #shared = new Map<string, SharedAnswer>()
  readonly #answers: Answers
  readonly #unsubscribe: (() => void)[]
  #wasConnected = false
  #changeTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor({ notifications, store, log, slots, maxReads, maxBytes }: LiveOptions) {
    this.#slots = slots
    this.#limit = pLimit(maxReads)
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ text }) => 2 * text.length + ANSWER_BYTES,
    })
    this.#unsubscribe = [
      notifications.subscribe('gateway_data', () => {
        this.#changeTimer ??= setTimeout(() => this.#changed(false), COALESCE_MS)
      }),
      notifications.onUp(() => {
        this.#changed(this.#wasConnected)
        this.#wasConnected = true
      }),
    ]
    this.#runs = new Runs({ notifications, store, log })
  }

  get open(): number {
    return this.#slots.used
  }

  get connected(): boolean {
    return this.#runs.isConnected
  }

  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /**
   * Takes one of the slots for subscriptions.
   * @returns frees it
   * @throws UNAVAILABLE if none is free, RATE_LIMITED if the client has used all of its slots
   */
  enter(client: string): () => void {
    if (this.#closed)
      throw new GatewayError('UNAVAILABLE', 'The server is closing. Subscribe again in a moment.')
    return this.#slots.enter(client)
  }

  /**
   * One event at once, then one for all changes within a quarter of a second. A slow reader gets
   * one event for all.
   */
  changes(): AsyncIterableIterator<ChangeEvent> {
    const inbox = new Inbox<ChangeEvent>(merged, () => this.#changes.delete(inbox))
    this.#changes.add(inbox)
    inbox.put({ anyway: true })
    return inbox
  }

  runs(day: string | undefined): AsyncIterableIterator<RunEvent> {
    return this.#runs.follow(day)
  }

  /**
   * Answers of a query: the current one, and after changes each one that differs from the last.
   * Subscribers with the same key share the reads.
   */
  answers(key: string, read: ReadAnswer): AsyncIterableIterator<LiveAnswer> {
    let shared = this.#shared.get(key)
    if (!shared) {
      shared = new SharedAnswer(read, this.#answers, () => this.#shared.delete(key))
      this.#shared.set(key, shared)
    }
    return shared.join()
  }

  /** Runs `work` in a slot, so that subscriptions do not use all connections to the store. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#limit(work)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#changeTimer)
    for (const end of this.#unsubscribe) end()
    for (const inbox of this.#changes) inbox.return()
    for (const shared of this.#shared.values()) shared.end()
    this.#runs.close()
  }

  #changed(anyway: boolean): void {
    clearTimeout(this.#changeTimer)
    this.#changeTimer = undefined
    for (const inbox of this.#changes) inbox.put({ anyway })
    for (const shared of this.#shared.values()) shared.changed()
  }
}

const merged: Join<ChangeEvent> = (waiting, { anyway }) => {
  waiting[0] = { anyway: anyway || (waiting[0]?.anyway ?? false) }
}

// An answer that several subscribers follow: each gets the current one, and then the newest one
// whenever it differs from the last. It is read once for all of them, one read at a time, and only
// while a subscriber waits.
class SharedAnswer {
  readonly #read: ReadAnswer
  readonly #answers: Answers
  readonly #onLeft: () => void
  readonly #followers = new Set<Follower>()
  readonly #left = new AbortController()
  // The number of requests for a read: changes and new subscribers.
  #requested = 0
  #latest: Latest | undefined
  #reading = false

  /** @param onLeft called when the last subscriber has left. No subscriber may join after that */
  constructor(read: ReadAnswer, answers: Answers, onLeft: () => void) {
    this.#read = read
    this.#answers = answers
    this.#onLeft = onLeft
  }

  /** Adds a subscriber, whose first answer is read after this call. */
  join(): AsyncIterableIterator<LiveAnswer> {
    const onWait = () => {
      const answer = this.#latest?.asOf === this.#requested ? this.#answers.get(this) : undefined
      if (this.#latest && answer) offer(follower, this.#latest, answer)
      void this.#refresh()
    }
    const onLeave = () => {
      this.#followers.delete(follower)
      if (this.#followers.size > 0) return
      this.#left.abort()
      this.#answers.delete(this)
      this.#onLeft()
    }
    // An answer is only put where it is awaited.
    const inbox = new Inbox<LiveAnswer>(() => {}, onLeave, onWait)
    const follower: Follower = { inbox, from: ++this.#requested, digest: undefined }
    this.#followers.add(follower)
    return inbox
  }

  changed(): void {
    this.#requested++
    void this.#refresh()
  }

  end(): void {
    for (const { inbox } of [...this.#followers]) void inbox.return()
  }

  async #refresh(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    while ([...this.#followers].some((one) => one.inbox.isAwaited && this.#lacks(one))) {
      let asOf = this.#requested
      const begin = () => {
        asOf = this.#requested
      }
      const answer = await this.#read(begin, this.#left.signal)
      if (answer === undefined) break
      this.#latest = { digest: hash('sha256', answer.text, 'base64url'), asOf }
      if (this.#followers.size > 0) this.#answers.set(this, answer)
      for (const follower of this.#followers) offer(follower, this.#latest, answer)
    }
    this.#reading = false
  }

  // True if a follower needs a read: of a newer answer, or of one that was dropped.
  #lacks(follower: Follower): boolean {
    return this.#latest?.asOf !== this.#requested || follower.digest !== this.#latest.digest
  }
}

interface Latest {
  digest: string
  asOf: number
}

interface Follower {
  inbox: Inbox<LiveAnswer>
  /** The number of requests when it subscribed. It gets no earlier answers. */
  from: number
  digest: string | undefined
}

// Gives an answer to a follower that waits for one, if it differs from the last.
function offer(follower: Follower, { digest, asOf }: Latest, answer: LiveAnswer): void {
  if (!follower.inbox.isAwaited || asOf < follower.from || digest === follower.digest) return
  follower.digest = digest
  follower.inbox.put(answer)
}
