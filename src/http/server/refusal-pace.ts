import type { Socket } from 'node:net'

/** The connections per second that are read again after a rejection. More would leave no time for other clients. */
const PER_SECOND = 5000
const TICK_MS = 10
/** A request that is read this soon after its connection was resumed has waited. */
const WAITED_MS = 100

/**
 * Paces clients that retry at once after a rejection: their connections are read again at a bounded rate. Clients that
 * respect `retry-after` are not affected.
 */
export class RefusalPace {
  readonly #paused: Socket[] = []
  readonly #resumed = new WeakMap<Socket, number>()
  #left = 0
  #closed = false
  #timer: NodeJS.Timeout | undefined

  /** Registers a connection whose request was rejected. */
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

  /** Whether a request waited while its connection was paused. */
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
