import { Socket } from 'node:net'
import pg, { type ClientConfig } from 'pg'
import { unavailable } from '../faults.ts'
import { destroyConnection, requestCancel } from './cancel.ts'
import { endOf, type ReadScope } from './scope.ts'

/** How many statements may be without an answer. */
const MAX_STATEMENTS = 2000

/** Sends one statement. */
export type Work<T> = (client: Pick<pg.ClientBase, 'query'>) => Promise<T>

export interface Timed<T> {
  result: T
  /** How long Postgres was at it. */
  ms: number
}

/** A statement that was sent. */
export interface Sent {
  readonly name: string | undefined
  readonly scope: ReadScope
  readonly at: number
  /** Whether its sender has been answered, or turned away. */
  settled: boolean
  reject(error: unknown): void
}

/** A connection that does not wait for an answer before the next statement is sent. */
export class Line {
  readonly #client: pg.Client
  readonly #socket = new Socket()
  readonly #sent = new Set<Sent>()
  /** When it was connected, or the last answer came; undefined: it is not connected yet. */
  #answered: number | undefined
  #corked = false

  constructor(config: ClientConfig, onConnect: (client: pg.ClientBase) => Promise<void>, onLost: () => void) {
    this.#client = new pg.Client({ ...config, pipeline: true, stream: () => this.#socket } as ClientConfig)
    this.#client.on('error', onLost)
    this.#client.on('end', onLost)
    this.#client.on('connect', () => {
      this.#answered = performance.now()
    })
    // Statements that wait for the connection are rejected with it.
    this.#client.connect().catch(onLost)
    onConnect(this.#client).catch(onLost)
  }

  /** Statements without an answer. */
  get waiting(): number {
    return this.#sent.size
  }

  /** The statement that Postgres is at. */
  get head(): Sent | undefined {
    return this.#sent.values().next().value
  }

  /** For how long Postgres has been at one statement. */
  age(now: number): number {
    return this.head && this.#answered !== undefined ? now - Math.max(this.head.at, this.#answered) : 0
  }

  run<T>(name: string | undefined, work: Work<T>, scope: ReadScope): Promise<Timed<T>> {
    if (this.#sent.size >= MAX_STATEMENTS) return Promise.reject(unavailable())
    this.#cork()
    return new Promise((resolve, reject) => {
      const sent: Sent = {
        name,
        scope,
        at: performance.now(),
        settled: false,
        reject(error) {
          sent.settled = true
          reject(error)
        },
      }
      this.#sent.add(sent)
      const answered = () => {
        const now = performance.now()
        const ms = now - Math.max(sent.at, this.#answered ?? now)
        this.#answered = now
        this.#sent.delete(sent)
        sent.settled = true
        return ms
      }
      work(this.#client).then(
        (result) => resolve({ result, ms: answered() }),
        (error) => {
          answered()
          reject(error)
        },
      )
    })
  }

  /** Turns away the senders whose scope has ended. What they have sent is still answered in its turn. */
  sweep(now: number): void {
    for (const sent of this.#sent) {
      const end = sent.settled ? undefined : endOf(sent.scope, now)
      if (end) sent.reject(end)
    }
  }

  /** Turns away all but the head: they are to be sent elsewhere. */
  rejectFollowers(error: unknown): void {
    const { head } = this
    for (const sent of this.#sent) if (sent !== head) sent.reject(error)
  }

  /** Cancels what Postgres is at, and closes the connection. */
  cancel(): void {
    void requestCancel(this.#client)
    this.destroy()
  }

  destroy(): void {
    destroyConnection(this.#client)
  }

  /** Closes the connection when all has been answered. */
  end(): Promise<void> {
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
