import { Socket } from 'node:net'
import pg, { type ClientConfig, type Pool } from 'pg'
import type { Lend } from './reader.ts'

/** A statement that took no longer when it was last sent does not hold up those behind it. */
const QUICK_MS = 5

interface PipelinesOptions {
  /** How to connect. */
  client: ClientConfig
  /** Where statements run that are not known to be quick. */
  pool: Pool
  /** How many connections there are at most; with 0, all runs in the pool. */
  size: number
  /** Sends the first statement of each connection. */
  onConnect(connection: pg.ClientBase): Promise<void>
}

type Work<T> = (client: Pick<pg.ClientBase, 'query'>) => Promise<T>

/**
 * Reads of one statement each, on a few connections that do not wait for an answer before the next statement is sent:
 * what is asked in one turn of the event loop is one write to the socket. Postgres answers a connection's statements in
 * their order, so only those that were quick the last time go this way; the others have a pool's connection each.
 */
export class Pipelines {
  readonly #options: PipelinesOptions
  readonly #lines: Line[] = []
  /** The names of quick statements, and whether each was slow the last time: once may be the event loop's doing. */
  readonly #quick = new Map<string, boolean>()

  constructor(options: PipelinesOptions) {
    this.#options = options
  }

  /** Lends a connection to work that sends one statement. */
  readonly lend: Lend = async (name, work) => {
    const known = name === undefined ? undefined : this.#quick.get(name)
    const line = known === undefined ? undefined : this.#line()
    const { result, ms } = await (line ? line.run(work) : this.#pooled(work))
    if (name !== undefined) {
      const slow = ms >= QUICK_MS
      if (!slow && known !== false) this.#quick.set(name, false)
      else if (slow && known === false) this.#quick.set(name, true)
      else if (slow && known) this.#quick.delete(name)
    }
    return result
  }

  async close(): Promise<void> {
    await Promise.all(this.#lines.splice(0).map((line) => line.close()))
  }

  /** The connection with the least to do; undefined: there is none. */
  #line(): Line | undefined {
    const { size, client, onConnect } = this.#options
    let best: Line | undefined
    for (const line of this.#lines) if (!best || line.waiting < best.waiting) best = line
    if (this.#lines.length >= size || best?.waiting === 0) return best
    const line = new Line(client, onConnect, () => {
      const place = this.#lines.indexOf(line)
      if (place >= 0) this.#lines.splice(place, 1)
    })
    this.#lines.push(line)
    return line
  }

  async #pooled<T>(work: Work<T>): Promise<Timed<T>> {
    const client = await this.#options.pool.connect()
    const since = performance.now()
    try {
      return { result: await work(client), ms: performance.now() - since }
    } finally {
      // The pool looks by itself whether the connection was lost.
      client.release()
    }
  }
}

interface Timed<T> {
  result: T
  /** How long Postgres was at it. */
  ms: number
}

/** One connection. */
class Line {
  readonly #client: pg.Client
  readonly #socket = new Socket()
  /** When the last answer came. */
  #answered = 0
  #corked = false
  /** Statements without an answer yet. */
  waiting = 0

  constructor(config: ClientConfig, onConnect: PipelinesOptions['onConnect'], onLost: () => void) {
    this.#client = new pg.Client({ ...config, pipeline: true, stream: () => this.#socket } as ClientConfig)
    this.#client.on('error', onLost)
    this.#client.on('end', onLost)
    // What is sent meanwhile is told of it.
    this.#client.connect().catch(onLost)
    onConnect(this.#client).catch(onLost)
  }

  async run<T>(work: Work<T>): Promise<Timed<T>> {
    this.#cork()
    const sent = performance.now()
    this.waiting++
    try {
      const result = await work(this.#client)
      const now = performance.now()
      const ms = now - Math.max(sent, this.#answered)
      this.#answered = now
      return { result, ms }
    } finally {
      this.waiting--
    }
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this.#socket.cork()
    setImmediate(() => {
      this.#corked = false
      this.#socket.uncork()
    })
  }
}
