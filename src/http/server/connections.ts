import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Gauge, type Registry } from 'prom-client'
import type { Exchange } from '../exchange.ts'

const SWEEP_MS = 1000
const MAX_UNSENT_BYTES = 256 * 1024 * 1024
// The share of connections above the maximum that are accepted, only to be sent a 503.
const OVER = 0.1

interface ConnectionsOptions {
  max: number
  sendTimeoutMs: number
  metrics: Registry
}

interface Connection {
  unused: boolean
  over: boolean
  /** The byte count that the client must have read by SEND_TIMEOUT_MS after `since`. */
  due: number
  since: number
}

/** Bounds the open connections of a server, and closes those whose clients do not read. */
export class Connections {
  readonly #server: Server
  readonly #options: ConnectionsOptions
  readonly #open = new Map<Socket, Connection>()
  readonly #streams = new WeakSet<Socket>()
  readonly #sweeping: NodeJS.Timeout

  constructor(server: Server, options: ConnectionsOptions) {
    this.#server = server
    this.#options = options
    const open = this.#open
    new Gauge({
      name: 'gateway_connections',
      help: 'Open connections of clients of this process.',
      registers: [options.metrics],
      collect() {
        this.set(open.size)
      },
    })
    server.maxConnections = Math.ceil(options.max * (1 + OVER))
    server.on('connection', (socket) => {
      // A connection comes twice if its offer to upgrade is ignored.
      if (this.#open.has(socket)) return
      const over = this.#open.size >= options.max
      this.#open.set(socket, { unused: true, over, due: 0, since: 0 })
      socket.once('close', () => this.#open.delete(socket))
    })
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  /** Registers a request. @returns whether its connection is above the maximum */
  use(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (!connection) return false
    connection.unused = false
    return connection.over
  }

  /** Exempts a connection with an event stream or a WebSocket, which have separate timeouts. */
  stream(socket: Socket): void {
    this.#streams.add(socket)
  }

  /**
   * Closes idle connections repeatedly, since others become idle once they are answered.
   * Connections without a request are included, which Node does not count as idle.
   */
  closeIdle(): void {
    for (const [socket, { unused }] of this.#open) if (unused) socket.destroy()
    const close = () => this.#server.closeIdleConnections()
    close()
    const closing = setInterval(close, 50).unref()
    this.#server.once('close', () => clearInterval(closing))
  }

  close(): void {
    clearInterval(this.#sweeping)
  }

  #sweep(): void {
    const now = performance.now()
    let unsent = 0
    const slow: Socket[] = []
    for (const [socket, connection] of this.#open) {
      const { writableLength, bytesWritten } = socket
      if (writableLength === 0) {
        connection.due = 0
        continue
      }
      unsent += writableLength
      if (connection.due === 0 || bytesWritten - writableLength >= connection.due) {
        connection.due = bytesWritten
        connection.since = now
      } else if (!this.#streams.has(socket)) {
        if (now - connection.since > this.#options.sendTimeoutMs) socket.destroy()
        else slow.push(socket)
      }
    }
    if (unsent > MAX_UNSENT_BYTES) this.#cut(slow, unsent - MAX_UNSENT_BYTES)
  }

  #cut(slow: Socket[], excess: number): void {
    let left = excess
    for (const socket of slow.sort((a, b) => b.writableLength - a.writableLength)) {
      if (left <= 0) return
      left -= socket.writableLength
      socket.destroy()
    }
  }
}

const MAX_ACCEPT_MS = 200

/**
 * Accepts the connections that are waiting before any request is handled. libuv accepts one
 * connection in each turn of the event loop, and under load a turn is as long as the work on all
 * requests that have arrived: of 2,000 clients that connect at once, most would wait for minutes,
 * and probes with them.
 */
export class AcceptsFirst {
  readonly #next: (exchange: Exchange) => void
  #waiting: Exchange[] = []
  #accepted = false
  #since = 0
  #turn: NodeJS.Immediate | undefined

  constructor(server: Server, next: (exchange: Exchange) => void) {
    this.#next = next
    server.on('connection', () => {
      this.#accepted = true
      if (this.#turn) return
      this.#since = performance.now()
      this.#turn = setImmediate(() => this.#endTurn())
    })
  }

  /** True if no connection is waiting to be accepted. Otherwise the exchange waits until then. */
  isDone(exchange: Exchange): boolean {
    if (this.#turn) this.#waiting.push(exchange)
    return !this.#turn
  }

  #endTurn(): void {
    if (this.#accepted && performance.now() - this.#since < MAX_ACCEPT_MS) {
      this.#accepted = false
      this.#turn = setImmediate(() => this.#endTurn())
      return
    }
    this.#turn = undefined
    for (const exchange of this.#waiting.splice(0)) this.#next(exchange)
  }
}
