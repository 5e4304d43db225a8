import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'

/** A result with a text that is equal for equal results. */
export interface Comparable {
  text: string
}

/**
 * Reads a result. It calls `begin` before each attempt, and must see all data stored by then. It does not throw.
 * @returns undefined if the signal aborted it
 */
export type Fetch<Result> = (begin: () => void, signal: AbortSignal) => Promise<Result | undefined>

/** The newest results, up to a sum of bytes. One that is dropped is read again for a subscriber that still needs it. */
export type Results<Result extends Comparable> = LRUCache<object, Result>

/**
 * A result that several subscribers follow: each gets the current one, and then the newest one whenever it differs from the
 * last. It is read once for all of them, one read at a time, and only while a subscriber waits.
 */
export class SharedResult<Result extends Comparable> {
  readonly #read: Fetch<Result>
  readonly #results: Results<Result>
  readonly #onLeft: () => void
  readonly #followers = new Set<Follower<Result>>()
  readonly #left = new AbortController()
  /** The number of requests for a read: changes and new subscribers. */
  #requested = 0
  /** The latest result. */
  #latest: Latest | undefined
  #reading = false

  /** @param onLeft called when the last subscriber has left. No subscriber may join after that */
  constructor(read: Fetch<Result>, results: Results<Result>, onLeft: () => void) {
    this.#read = read
    this.#results = results
    this.#onLeft = onLeft
  }

  /** Adds a subscriber, whose first result is read after this call. */
  join(): AsyncIterableIterator<Result> {
    const follower = new Follower<Result>(++this.#requested, {
      onWait: () => {
        const result = this.#latest?.asOf === this.#requested ? this.#results.get(this) : undefined
        if (this.#latest && result) follower.offer(this.#latest, result)
        void this.#refresh()
      },
      onLeave: () => {
        this.#followers.delete(follower)
        if (this.#followers.size > 0) return
        this.#left.abort()
        this.#results.delete(this)
        this.#onLeft()
      },
    })
    this.#followers.add(follower)
    return follower
  }

  /** Marks results as outdated, including one that is being read. */
  changed(): void {
    this.#requested++
    void this.#refresh()
  }

  /** Ends it for all subscribers. */
  end(): void {
    for (const follower of [...this.#followers]) void follower.return()
  }

  async #refresh(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    while ([...this.#followers].some((one) => one.waits && this.#lacks(one))) {
      let asOf = this.#requested
      const begin = () => {
        asOf = this.#requested
      }
      const result = await this.#read(begin, this.#left.signal)
      if (result === undefined) break
      this.#latest = { digest: hash('sha256', result.text, 'base64url'), asOf }
      if (this.#followers.size > 0) this.#results.set(this, result)
      for (const follower of this.#followers) follower.offer(this.#latest, result)
    }
    this.#reading = false
  }

  /** True if a follower needs a read: of a newer result, or of one that was dropped. */
  #lacks(follower: Follower<Result>): boolean {
    return this.#latest?.asOf !== this.#requested || follower.digest !== this.#latest.digest
  }
}

interface Latest {
  /** The digest of its text. */
  digest: string
  /** The number of requests when its read began. */
  asOf: number
}

class Follower<Result extends Comparable> implements AsyncIterableIterator<Result> {
  readonly #from: number
  readonly #on: { onWait(): void; onLeave(): void }
  /** The digest of the last result that it received. */
  digest: string | undefined
  #waiting: ((next: IteratorResult<Result>) => void) | undefined
  #ended = false

  /** @param from the number of requests when it subscribed. It gets no earlier results */
  constructor(from: number, on: { onWait(): void; onLeave(): void }) {
    this.#from = from
    this.#on = on
  }

  get waits(): boolean {
    return this.#waiting !== undefined
  }

  /** Accepts a result if it waits for one and it differs from the last. */
  offer({ digest, asOf }: Latest, result: Result): void {
    if (!this.#waiting || asOf < this.#from || digest === this.digest) return
    const give = this.#waiting
    this.#waiting = undefined
    this.digest = digest
    give({ done: false, value: result })
  }

  next(): Promise<IteratorResult<Result>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#on.onWait()
    })
  }

  /** Ends it at once, even while it waits. */
  return(): Promise<IteratorResult<Result>> {
    const end = { done: true as const, value: undefined }
    if (!this.#ended) {
      this.#ended = true
      this.#waiting?.(end)
      this.#waiting = undefined
      this.#on.onLeave()
    }
    return Promise.resolve(end)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
