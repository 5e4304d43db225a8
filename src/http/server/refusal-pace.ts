import type { Socket } from 'node:net'

/** How many connections a second are read again after a refusal: more would leave no time for the requests that are served. */
const PER_SECOND = 5000
const TICK_MS = 10
/** A request that arrives so soon after its connection is read again was sent before that. */
const WAITED_MS = 100

/**
 * Bounds how often clients that ignore `retry-after` are read. A refusal is always sent at once; then the connection is not
 * read until its turn comes. A client that waits for `retry-after` does not notice.
 */
export class RefusalPace {
  /** Each reads one connection again. */
  readonly #waiting: (() => void)[] = []
  readonly #resumed = new WeakMap<Socket, number>()
  /** How many connections may be read again now: it grows with time, however late the timer is. */
  #due = PER_SECOND / TICK_MS
  #counted = performance.now()
  #closed = false
  #timer: NodeJS.Timeout | undefined

  /** Takes a connection whose request has been refused. */
  refused(socket: Socket): void {
    if (this.#closed || socket.destroyed || this.#isDue()) return
    socket.pause()
    this.#wait(socket, () => socket.resume())
  }

  /** Resolves when a WebSocket whose message has been refused may be read again. */
  async turnOf(socket: Socket): Promise<void> {
    if (this.#closed || socket.destroyed || this.#isDue()) return
    await new Promise<void>((resolve) => this.#wait(socket, resolve))
  }

  /** Whether a request was sent while its connection was not read. */
  hasWaited(socket: Socket): boolean {
    return performance.now() - (this.#resumed.get(socket) ?? Number.NEGATIVE_INFINITY) < WAITED_MS
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    for (const resume of this.#waiting.splice(0)) resume()
  }

  #isDue(): boolean {
    return this.#waiting.length === 0 && this.#takeTurn()
  }

  #wait(socket: Socket, resume: () => void): void {
    this.#waiting.push(() => {
      this.#resumed.set(socket, performance.now())
      resume()
    })
    this.#timer ??= setInterval(() => this.#resumeDue(), TICK_MS)
  }

  #takeTurn(): boolean {
    const now = performance.now()
    this.#due = Math.min(this.#due + ((now - this.#counted) * PER_SECOND) / 1000, PER_SECOND / TICK_MS)
    this.#counted = now
    if (this.#due < 1) return false
    this.#due--
    return true
  }

  #resumeDue(): void {
    let resumed = 0
    while (resumed < this.#waiting.length && this.#takeTurn()) resumed++
    for (const resume of this.#waiting.splice(0, resumed)) resume()
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
