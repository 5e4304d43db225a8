import type { Socket } from 'node:net'

/** How many connections a second are read again after a refusal: more of them would leave no time for those who are served. */
const PER_SECOND = 5000
const TICK_MS = 10
/** A request that is read so soon after its connection is read again has waited for that. */
const WAITED_MS = 100

/**
 * Clients that come back at once when they are refused are read again at a bounded pace. A refusal is still sent at once;
 * whoever waits for as long as it says notices nothing.
 */
export class RefusalPace {
  readonly #paused: Socket[] = []
  readonly #resumed = new WeakMap<Socket, number>()
  #left = 0
  #closed = false
  #timer: NodeJS.Timeout | undefined

  /** Tells of a connection whose request has been refused. */
  refused(socket: Socket): void {
    if (this.#closed) return
    this.#timer ??= this.#start()
    if (this.#left > 0) {
      this.#left--
      return
    }
    socket.pause()
    this.#paused.push(socket)
  }

  /** Whether a request that has just been read came while its connection was not. */
  hasWaited(socket: Socket): boolean {
    return performance.now() - (this.#resumed.get(socket) ?? Number.NEGATIVE_INFINITY) < WAITED_MS
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    for (const socket of this.#paused.splice(0)) socket.resume()
  }

  #start(): NodeJS.Timeout {
    const perTick = (PER_SECOND * TICK_MS) / 1000
    this.#left = perTick
    return setInterval(() => {
      if (this.#paused.length === 0 && this.#left === perTick) {
        clearInterval(this.#timer)
        this.#timer = undefined
        return
      }
      const next = this.#paused.splice(0, perTick)
      for (const socket of next) {
        this.#resumed.set(socket, performance.now())
        socket.resume()
      }
      this.#left = perTick - next.length
    }, TICK_MS)
  }
}
