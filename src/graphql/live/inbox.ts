/** Adds an event to the waiting ones. It may merge events or drop one. */
export type Join<T> = (waiting: T[], added: T) => void

/** The queue of events of one reader, bounded by `join`. */
export class Inbox<T> implements AsyncIterableIterator<T> {
  readonly #waiting: T[] = []
  readonly #join: Join<T>
  readonly #onEnd: () => void
  readonly #onWait: (() => void) | undefined
  #reader: ((result: IteratorResult<T>) => void) | undefined
  #ended = false

  constructor(join: Join<T>, onEnd: () => void, onWait?: () => void) {
    this.#join = join
    this.#onEnd = onEnd
    this.#onWait = onWait
  }

  get isAwaited(): boolean {
    return this.#reader !== undefined
  }

  put(event: T): void {
    if (this.#ended) return
    const reader = this.#reader
    this.#reader = undefined
    if (reader) reader({ done: false, value: event })
    else this.#join(this.#waiting, event)
  }

  next(): Promise<IteratorResult<T>> {
    const [event] = this.#waiting.splice(0, 1)
    if (event !== undefined) return Promise.resolve({ done: false, value: event })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#reader = resolve
      this.#onWait?.()
    })
  }

  /** Ends the queue at once, also for a waiting reader. */
  return(): Promise<IteratorResult<T>> {
    const result = { done: true as const, value: undefined }
    if (!this.#ended) {
      this.#ended = true
      this.#waiting.length = 0
      this.#reader?.(result)
      this.#reader = undefined
      this.#onEnd()
    }
    return Promise.resolve(result)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
