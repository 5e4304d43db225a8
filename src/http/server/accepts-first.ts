import type { Server } from 'node:http'

/** How long requests wait at most while connections are accepted. */
const MAX_MS = 200

/**
 * Accepts the connections that are waiting before any request is handled. libuv accepts one connection in each turn of the
 * event loop, and under load a turn is as long as the work on all requests that have arrived: of 2,000 clients that connect
 * at once, most would wait for minutes, and probes with them.
 */
export class AcceptsFirst {
  #waiting: (() => void)[] = []
  #accepted = false
  #since = 0
  #turn: NodeJS.Immediate | undefined

  constructor(server: Server) {
    server.on('connection', () => {
      this.#accepted = true
      if (this.#turn) return
      this.#since = performance.now()
      this.#turn = setImmediate(() => this.#endTurn())
    })
  }

  /** Calls `handle` as soon as no connection is waiting to be accepted. */
  run(handle: () => void): void {
    if (this.#turn) this.#waiting.push(handle)
    else handle()
  }

  #endTurn(): void {
    if (this.#accepted && performance.now() - this.#since < MAX_MS) {
      this.#accepted = false
      this.#turn = setImmediate(() => this.#endTurn())
      return
    }
    this.#turn = undefined
    for (const handle of this.#waiting.splice(0)) handle()
  }
}
