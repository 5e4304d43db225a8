/** A result in words that are the same where the result is. */
export interface Worded {
  text: string
}

/**
 * Reads a result. It calls `begin` before it reads anything, and before each attempt to read it anew: it must see whatever
 * was stored by then. It does not throw. @returns undefined: the signal says that nobody waits for it any more
 */
export type Read<Result> = (begin: () => void, signal: AbortSignal) => Promise<Result | undefined>

/**
 * A result that several subscribers follow: each is given the present one, and then the newest whenever it is another than
 * the one that was given last. It is read once for all of them, one read at a time, and only while one of them waits.
 */
export class SharedResult<Result extends Worded> {
  readonly #read: Read<Result>
  readonly #onLeft: () => void
  readonly #followers = new Set<Follower<Result>>()
  readonly #left = new AbortController()
  /** How often something has asked for a read: a change, or a new subscriber. */
  #asked = 0
  /** `asOf`: what had been asked when its read began. */
  #known: { result: Result; asOf: number } | undefined
  #reading = false

  /** @param onLeft called when the last subscriber has left, after which nobody must join */
  constructor(read: Read<Result>, onLeft: () => void) {
    this.#read = read
    this.#onLeft = onLeft
  }

  /** Follows it from now on: what is given first is read after this. */
  join(): AsyncIterableIterator<Result> {
    const follower = new Follower<Result>(++this.#asked, {
      asks: () => {
        if (this.#known?.asOf === this.#asked) follower.offer(this.#known)
        void this.#refresh()
      },
      leaves: () => {
        this.#followers.delete(follower)
        if (this.#followers.size > 0) return
        this.#left.abort()
        this.#onLeft()
      },
    })
    this.#followers.add(follower)
    return follower
  }

  /** What is stored has changed: what was read before, or is being read now, may be another. */
  changed(): void {
    this.#asked++
    void this.#refresh()
  }

  /** Ends it for all who follow it. */
  end(): void {
    for (const follower of [...this.#followers]) void follower.return()
  }

  async #refresh(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    while (this.#known?.asOf !== this.#asked && [...this.#followers].some((one) => one.waits)) {
      let asOf = this.#asked
      const begin = () => {
        asOf = this.#asked
      }
      const result = await this.#read(begin, this.#left.signal)
      if (result === undefined) break
      this.#known = { result, asOf }
      for (const follower of this.#followers) follower.offer(this.#known)
    }
    this.#reading = false
  }
}

class Follower<Result extends Worded> implements AsyncIterableIterator<Result> {
  readonly #from: number
  readonly #on: { asks(): void; leaves(): void }
  #given: string | undefined
  #waiting: ((next: IteratorResult<Result>) => void) | undefined
  #ended = false

  /** @param from what had been asked when it came: it is given nothing that was read before */
  constructor(from: number, on: { asks(): void; leaves(): void }) {
    this.#from = from
    this.#on = on
  }

  get waits(): boolean {
    return this.#waiting !== undefined
  }

  /** Takes a result that it waits for, unless it is the one that it has. */
  offer({ result, asOf }: { result: Result; asOf: number }): void {
    if (!this.#waiting || asOf < this.#from || result.text === this.#given) return
    const give = this.#waiting
    this.#waiting = undefined
    this.#given = result.text
    give({ done: false, value: result })
  }

  next(): Promise<IteratorResult<Result>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#on.asks()
    })
  }

  /** Ends it at once, also while it waits. */
  return(): Promise<IteratorResult<Result>> {
    const end = { done: true as const, value: undefined }
    if (!this.#ended) {
      this.#ended = true
      this.#waiting?.(end)
      this.#waiting = undefined
      this.#on.leaves()
    }
    return Promise.resolve(end)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
