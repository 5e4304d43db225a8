import pTimeout from 'p-timeout'
import type pg from 'pg'
import type { Pool, PoolClient } from 'pg'
import { unavailable } from '../faults.ts'
import { destroyConnection, requestCancel } from './cancel.ts'
import type { ClientConfig } from './client.ts'
import { Lane } from './lane.ts'
import { Line, type Sent, type TimedResult } from './line.ts'
import type { Done, PreparedStatement, Send } from './protocol.ts'
import { type Caller, endOf, type ReadScope } from './scope.ts'

// A statement that took at most this long last time may be pipelined.
const QUICK_MS = 5
// A read that takes longer moves to the slow lane.
const SLOW_MS = 250
const SWEEP_MS = 50
const CLOSING_MS = 500

interface ReadsOptions {
  client: ClientConfig
  pool: Pool
  lines: number
  slow: number
  quick: number
  timeoutMs: number
  onConnect(connection: pg.ClientBase): Promise<void>
}

// The recent speed of a statement. `doubtful` was slow once, which may have been due to the event
// loop.
type Speed = 'quick' | 'doubtful' | 'slow'

// A connection that is lent when it is first needed.
interface Demand {
  connection(): Promise<PoolClient>
  fail(error: unknown): void
  /** True if the work has ended, or must end because nobody waits for it or its time is up. */
  isOver(): boolean
}

interface Demanding<T> {
  result: Promise<T>
  /** Called when the result is there or the work has failed. The connection is lent until then. */
  end(isFailed: boolean): Promise<void>
}

// Signals that a statement must be sent again on another connection.
const MOVED = Symbol('moved')

/**
 * Runs reads on the store. Statements that were quick last time share a few connections, on which
 * they are pipelined: those of one turn of the event loop are one write. Other reads use a pool
 * connection each, in one of two lanes. A read that turns out to be slow moves to the slow lane, or
 * waits for a slot there and starts again, so slow reads never block others.
 *
 * A timer ends reads whose clients have gone or whose deadline has passed by this process's clock,
 * since a hanging database does not enforce its own timeout. It cancels the statement and closes
 * the connection.
 */
export class Reads {
  readonly #options: ReadsOptions
  readonly #quick: Lane
  readonly #slow: Lane
  readonly #lines = new Set<Line>()
  // Shared connections that are left to one slow statement.
  readonly #detached = new Map<Line, Sent>()
  readonly #exclusive = new Set<ExclusiveRead>()
  readonly #speeds = new WeakMap<PreparedStatement, Speed>()
  readonly #timer: NodeJS.Timeout

  constructor(options: ReadsOptions) {
    this.#options = options
    this.#quick = new Lane(options.quick)
    this.#slow = new Lane(options.slow)
    // Runs after sockets are read, so that an answer that arrived while the event loop was busy is
    // not late.
    this.#timer = setInterval(() => setImmediate(() => this.#sweep()), SWEEP_MS).unref()
  }

  get waiting(): number {
    return this.#quick.waiting + this.#slow.waiting
  }

  scope(caller?: Caller, isLarge = false): ReadScope {
    const { timeoutMs } = this.#options
    const deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY
    return { deadline, caller, isLarge }
  }

  send<T>(
    statement: PreparedStatement | undefined,
    send: Send<T>,
    done: Done<T>,
    scope = this.scope(),
  ): void {
    const speed = statement && this.#speeds.get(statement)
    const isQuick = !scope.isLarge && (speed === 'quick' || speed === 'doubtful')
    const line = isQuick ? this.#line() : undefined
    const ended: TimedResult<T> = (error, result, ms = 0) => {
      if (error === MOVED) {
        const end = endOf(scope, performance.now())
        if (end) done(end)
        else this.send(statement, send, done, scope)
        return
      }
      if (!error && statement && (ms >= QUICK_MS || speed !== 'quick'))
        this.#learn(statement, speed, ms)
      done(error, result)
    }
    if (line) {
      scope.caller?.onDecision?.('lane', 'shared')
      line.run(statement, send, scope, ended)
    } else this.#alone(send, scope, scope.isLarge || speed === 'slow', ended)
  }

  /**
   * Lends a connection to work that sends several statements or is known to be slow. Work that must
   * wait for the slow lane is restarted.
   */
  async exclusive<T>(
    scope: ReadScope,
    work: (client: PoolClient) => Promise<T>,
    slow = scope.isLarge,
  ): Promise<T> {
    try {
      return await this.#lend(scope, work, slow)
    } catch (error) {
      if (error !== MOVED) throw error
    }
    return this.exclusive(scope, work, true)
  }

  /**
   * Lends a connection to work that asks for it when it first needs one, until its `end` has
   * resolved. Work that must wait for the slow lane is restarted.
   */
  async onDemand<T>(
    scope: ReadScope,
    start: (demand: Demand) => Demanding<T>,
    slow = scope.isLarge,
  ): Promise<T> {
    let isOver = false
    let isFailed = false
    let fail: Demand['fail'] = () => {}
    let release = () => {}
    const failure = new Promise<never>((_, reject) => {
      fail = (error) => {
        isOver = true
        reject(error)
      }
    })
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { result, end } = start({
      connection: () =>
        new Promise((resolve, reject) => {
          const use = (client: PoolClient) => {
            resolve(client)
            return released
          }
          this.#lend(scope, use, slow).catch((error) => {
            fail(error)
            reject(error)
          })
        }),
      fail,
      isOver() {
        const reason = isOver ? undefined : endOf(scope, performance.now())
        if (reason) fail(reason)
        return isOver
      },
    })
    try {
      return await Promise.race([result, failure])
    } catch (error) {
      isFailed = true
      if (error !== MOVED) throw error
    } finally {
      isOver = true
      void end(isFailed).then(release, release)
    }
    return this.onDemand(scope, start, true)
  }

  async #lend<T>(
    scope: ReadScope,
    work: (client: PoolClient) => Promise<T>,
    slow: boolean,
  ): Promise<T> {
    const lane = slow ? this.#slow : this.#quick
    const end = endOf(scope, performance.now())
    if (end) throw end
    scope.caller?.onDecision?.('lane', slow ? 'slow' : 'quick')
    await lane.enter(scope)
    const read = new ExclusiveRead(scope, lane)
    this.#exclusive.add(read)
    try {
      return await read.run(this.#options.pool, work)
    } finally {
      this.#exclusive.delete(read)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const lane of [this.#quick, this.#slow]) lane.close()
    for (const read of this.#exclusive) read.end(unavailable())
    for (const line of this.#detached.keys()) line.cancel()
    await Promise.all(
      [...this.#lines].map((line) => {
        if (line.waiting > 0) return line.cancel()
        return pTimeout(line.end(), { milliseconds: CLOSING_MS, fallback: () => line.destroy() })
      }),
    )
  }

  #alone<T>(send: Send<T>, scope: ReadScope, slow: boolean, done: TimedResult<T>): void {
    let ms = 0
    const work = (client: PoolClient) => {
      const since = performance.now()
      return new Promise<T>((resolve, reject) => {
        send(client, (error, result) => {
          ms = performance.now() - since
          if (error) reject(error)
          else resolve(result as T)
        })
      })
    }
    this.exclusive(scope, work, slow).then((result) => done(undefined, result, ms), done)
  }

  #learn(statement: PreparedStatement, speed: Speed | undefined, ms: number): void {
    if (ms < QUICK_MS) this.#speeds.set(statement, 'quick')
    else if (ms >= SLOW_MS) this.#speeds.set(statement, 'slow')
    else if (speed === 'quick') this.#speeds.set(statement, 'doubtful')
    // A statement without a speed may have been slow only because many others ran.
    else if (speed !== undefined) this.#speeds.delete(statement)
  }

  #line(): Line | undefined {
    const { lines, client, onConnect } = this.#options
    let best: Line | undefined
    for (const line of this.#lines) if (!best || line.waiting < best.waiting) best = line
    if (this.#lines.size >= lines || best?.waiting === 0) return best
    const line = new Line(client, onConnect, () => this.#lines.delete(line))
    this.#lines.add(line)
    return line
  }

  #sweep(): void {
    const now = performance.now()
    this.#quick.sweep(now)
    this.#slow.sweep(now)
    for (const line of this.#lines) {
      line.sweep(now)
      if (line.age(now) >= SLOW_MS) this.#detach(line)
    }
    for (const [line, head] of this.#detached) {
      line.sweep(now)
      if (line.head === head && !head.settled) continue
      if (line.head === head) line.cancel()
      else line.destroy()
      this.#detached.delete(line)
      this.#slow.leave()
    }
    for (const read of this.#exclusive) {
      const end = endOf(read.scope, now)
      if (end) read.end(end)
      else if (read.lane === this.#quick && read.age(now) >= SLOW_MS) {
        if (this.#slow.tryEnter()) read.moveTo(this.#slow)
        else read.end(MOVED)
      }
    }
  }

  // Leaves a shared connection to its slow first statement. The others are sent again on other
  // connections.
  #detach(line: Line): void {
    const { head } = line
    this.#lines.delete(line)
    if (head?.statement) this.#speeds.set(head.statement, 'slow')
    line.rejectFollowers(MOVED)
    if (head && !head.settled && this.#slow.tryEnter()) {
      this.#detached.set(line, head)
      return
    }
    head?.settle(MOVED)
    line.cancel()
  }
}

// A read that has a pool connection to itself.
class ExclusiveRead {
  readonly scope: ReadScope
  lane: Lane
  #client: PoolClient | undefined
  #since = Number.POSITIVE_INFINITY
  #ended = false
  #reject: (error: unknown) => void = () => {}

  constructor(scope: ReadScope, lane: Lane) {
    this.scope = scope
    this.lane = lane
  }

  run<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      this.#use(pool, work)
        .then(resolve, reject)
        .finally(() => this.#leave())
    })
  }

  age(now: number): number {
    return now - this.#since
  }

  /** Releases its slot after it got one in another lane. */
  moveTo(lane: Lane): void {
    this.lane.leave()
    this.lane = lane
  }

  /** Rejects it at once, cancels its statement and closes its connection. */
  end(error: unknown): void {
    if (this.#ended) return
    this.#reject(error)
    if (this.#client) {
      void requestCancel(this.#client)
      destroyConnection(this.#client)
    }
    this.#leave()
  }

  #leave(): void {
    if (!this.#ended) this.lane.leave()
    this.#ended = true
  }

  async #use<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let lost: Error | undefined
    const onError = (error: Error) => {
      lost = error
    }
    client.on('error', onError)
    try {
      if (this.#ended) throw unavailable()
      this.#client = client
      this.#since = performance.now()
      return await work(client)
    } finally {
      client.off('error', onError)
      client.release(lost ?? (this.#client !== undefined && this.#ended))
      this.#client = undefined
    }
  }
}
