import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Gauge, type Registry } from 'prom-client'

const SWEEP_MS = 1000
/** What all clients together may leave unread. */
const MAX_UNSENT_BYTES = 256 * 1024 * 1024
/** Above the most connections so many more are taken, to be told so. */
const OVER = 0.1

interface ConnectionsOptions {
  max: number
  /** How long a client may take to read what was sent to it. */
  sendTimeoutMs: number
  metrics: Registry
}

interface Connection {
  /** Nothing was asked on it yet. */
  unused: boolean
  /** There were as many as there may be when it came. */
  over: boolean
  /** The bytes that it has to take until SEND_TIMEOUT_MS after `since`. */
  due: number
  since: number
}

/** The connections of a server: how many there are, and whether their clients read what is sent to them. */
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
      const over = this.#open.size >= options.max
      this.#open.set(socket, { unused: true, over, due: 0, since: 0 })
      socket.once('close', () => this.#open.delete(socket))
    })
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  /** Tells of a request on a connection. @returns whether the connection is one too many */
  use(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (!connection) return false
    connection.unused = false
    return connection.over
  }

  /** A connection that carries an event stream is read whenever there is an event: streams have a limit of their own. */
  stream(socket: Socket): void {
    this.#streams.add(socket)
  }

  /**
   * Closes idle connections, those too on which nothing was asked yet, which Node does not take for idle; again and
   * again, for the others become idle when they have their answers.
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

  /** Cuts the connections with the most bytes that are not read. */
  #cut(slow: Socket[], excess: number): void {
    let left = excess
    for (const socket of slow.sort((a, b) => b.writableLength - a.writableLength)) {
      if (left <= 0) return
      left -= socket.writableLength
      socket.destroy()
    }
  }
}
