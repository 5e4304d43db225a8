import { Socket } from 'node:net'
import type pg from 'pg'
import { unavailable } from '../faults.ts'
import { destroyConnection, requestCancel } from './cancel.ts'
import { type ClientConfig, StoreClient } from './client.ts'
import type { PreparedStatement, Send } from './protocol.ts'
import { endOf, type ReadScope } from './scope.ts'

// The maximum number of unanswered statements.
const MAX_STATEMENTS = 2000

/**
 * Receives the result of a statement, and how long Postgres worked on it, in milliseconds; or why
 * it has failed.
 */
export type TimedResult<T> = (error: unknown, result?: T, ms?: number) => void

export class Sent<T = unknown> {
  readonly statement: PreparedStatement | undefined
  readonly scope: ReadScope
  readonly at = performance.now()
  settled = false
  readonly #done: TimedResult<T>

  constructor(statement: PreparedStatement | undefined, scope: ReadScope, done: TimedResult<T>) {
    this.statement = statement
    this.scope = scope
    this.#done = done
  }

  settle(error: unknown, result?: T, ms?: number): void {
    if (this.settled) return
    this.settled = true
    this.#done(error, result, ms)
  }
}

/** A connection that pipelines statements. */
export class Line {
  readonly #client: pg.Client
  readonly #socket = new Socket()
  // In the order in which they were sent. A Set would keep its old tables alive, and in them what
  // was answered.
  readonly #sent: Sent[] = []
  // When it connected or received the last answer. Undefined before it is connected.
  #answered: number | undefined
  #corked = false

  constructor(
    config: ClientConfig,
    onConnect: (client: pg.ClientBase) => Promise<void>,
    onLost: () => void,
  ) {
    this.#client = new StoreClient({
      ...config,
      pipeline: true,
      stream: () => this.#socket,
    } as ClientConfig)
    this.#client.on('error', onLost)
    this.#client.on('end', onLost)
    this.#client.on('connect', () => {
      this.#answered = performance.now()
    })
    // Rejects statements that wait for the connection.
    this.#client.connect().catch(onLost)
    onConnect(this.#client).catch(onLost)
  }

  get waiting(): number {
    return this.#sent.length
  }

  get head(): Sent | undefined {
    return this.#sent[0]
  }

  age(now: number): number {
    return this.head && this.#answered !== undefined
      ? now - Math.max(this.head.at, this.#answered)
      : 0
  }

  run<T>(
    statement: PreparedStatement | undefined,
    send: Send<T>,
    scope: ReadScope,
    done: TimedResult<T>,
  ): void {
    if (this.#sent.length >= MAX_STATEMENTS) {
      done(unavailable())
      return
    }
    this.#cork()
    const sent = new Sent(statement, scope, done)
    this.#sent.push(sent as Sent)
    send(this.#client, (error, result) => {
      const at = this.#sent.indexOf(sent as Sent)
      if (at < 0) return
      this.#sent.splice(at, 1)
      const now = performance.now()
      const ms = now - Math.max(sent.at, this.#answered ?? now)
      this.#answered = now
      sent.settle(error, result, ms)
    })
  }

  /** Rejects statements whose scope has ended. Postgres still answers them in order. */
  sweep(now: number): void {
    for (const sent of this.#sent) {
      const end = sent.settled ? undefined : endOf(sent.scope, now)
      if (end) sent.settle(end)
    }
  }

  /** Rejects all statements but the first, so that they are sent elsewhere. */
  rejectFollowers(error: unknown): void {
    const { head } = this
    for (const sent of this.#sent) if (sent !== head) sent.settle(error)
  }

  cancel(): void {
    void requestCancel(this.#client)
    this.destroy()
  }

  destroy(): void {
    destroyConnection(this.#client)
  }

  /** Closes the connection once all statements are answered. */
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
