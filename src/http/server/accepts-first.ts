import type { Server } from 'node:http'
import type { Exchange } from '../exchange.ts'

/** How long requests wait at most while connections are accepted. */
const MAX_MS = 200

/**
 * Accepts the connections that are waiting before any request is handled. libuv accepts one connection in each turn of the
 * event loop, and under load a turn is as long as the work on all requests that have arrived: of 2,000 clients that connect
 * at once, most would wait for minutes, and probes with them.
 */
export class AcceptsFirst {
  readonly #next: (exchange: Exchange) => void
  #waiting: Exchange[] = []
  #accepted = false
  #since = 0
  #turn: NodeJS.Immediate | undefined

  /** @param next continues an exchange that has waited */
  constructor(server: Server, next: (exchange: Exchange) => void) {
    this.#next = next
    server.on('connection', () => {
      this.#accepted = true
      if (this.#turn) return
      this.#since = performance.now()
      this.#turn = setImmediate(() => this.#endTurn())
    })
  }

  /** Whether no connection is waiting to be accepted. Otherwise the exchange waits until then. */
  isDone(exchange: Exchange): boolean {
    if (this.#turn) this.#waiting.push(exchange)
    return !this.#turn
  }

  #endTurn(): void {
    if (this.#accepted && performance.now() - this.#since < MAX_MS) {
      this.#accepted = false
      this.#turn = setImmediate(() => this.#endTurn())
      return
    }
    this.#turn = undefined
    for (const exchange of this.#waiting.splice(0)) this.#next(exchange)
  }
}
