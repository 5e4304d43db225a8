import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BirpcReturn, createBirpc } from 'birpc'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../log.ts'
import { MemoryPointCounter } from '../point-counter.ts'
import { ANSWER_MS, type PrimaryFunctions, type WorkerFunctions } from './link.ts'

/**
 * A worker that ends sooner than this after its start counts as failed: the pause before the next
 * one grows.
 */
const YOUNG_MS = 10_000
const PAUSE_MS = 200
const MAX_PAUSE_MS = 30_000
/** The time for closing, in addition to the time for requests. */
const CLOSING_MS = 1500

interface WorkersOptions {
  count: number
  /** How long requests under way may take when a worker ends. */
  shutdownTimeoutMs: number
  log: Log
}

interface Member {
  worker: Worker
  ask: BirpcReturn<WorkerFunctions, PrimaryFunctions>
  startedAt: number
  /** True if it is meant to end. */
  leaving: boolean
}

/**
 * The workers of one gateway. The primary has the listening socket and gives each connection to a
 * worker that is free, so no connection is refused while some worker is alive.
 */
export class Workers {
  readonly #options: WorkersOptions
  readonly #members = new Map<number, Member>()
  readonly #closing = new AbortController()
  readonly #points = new MemoryPointCounter()
  #failures = 0
  #restarting: Promise<void> | undefined

  constructor(options: WorkersOptions) {
    this.#options = options
    // Numbers of metrics may be NaN, which JSON has not.
    cluster.setupPrimary({ serialization: 'advanced' })
  }

  /**
   * Starts the workers, the first one alone, so that a fault that all would have is reported once.
   * @returns the port, or the exit code of a worker that could not start
   */
  async start(): Promise<{ port: number } | { exitCode: number }> {
    const first = await this.#fork()
    if ('exitCode' in first) return first
    const others = await Promise.all(
      Array.from({ length: this.#options.count - 1 }, () => this.#fork()),
    )
    return others.find((one) => 'exitCode' in one) ?? first
  }

  /** Replaces each worker by a new one, which serves before the old one stops. */
  async restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined
    })
    await this.#restarting
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const end = async (member: Member) => {
      member.leaving = true
      member.worker.process.kill('SIGTERM')
      await this.#ended(member, this.#options.shutdownTimeoutMs + CLOSING_MS)
    }
    await Promise.all([...this.#members.values()].map(end))
  }

  async #restart(): Promise<void> {
    const { log, shutdownTimeoutMs } = this.#options
    const former = [...this.#members.values()]
    log.info({ workers: former.length }, 'restarting the workers one after the other')
    for (const member of former) {
      if (this.#closing.signal.aborted || !this.#members.has(member.worker.id)) continue
      const next = await this.#fork()
      if ('exitCode' in next) {
        log.error(
          { exitCode: next.exitCode },
          'a new worker could not start: the other workers stay as they are',
        )
        return
      }
      member.leaving = true
      member.ask.drain.asEvent()
      await this.#ended(member, 2 * (shutdownTimeoutMs + CLOSING_MS))
    }
    log.info({}, 'restarted the workers')
  }

  /** Starts a worker. @returns when it listens or has ended */
  #fork(): Promise<{ port: number } | { exitCode: number }> {
    const worker = cluster.fork({ MIGRATE: 'off', SAMPLE_DATA: 'off' })
    return new Promise((resolve) => {
      let isReady = false
      const ready = (port: number) => {
        isReady = true
        resolve({ port })
      }
      const functions: PrimaryFunctions = {
        ready,
        allMetrics: () => this.#allMetrics(),
        addPoints: async (...charge) => this.#points.add(...charge),
      }
      const ask = createBirpc<WorkerFunctions, PrimaryFunctions>(functions, {
        post: (message) => worker.isConnected() && worker.send(message),
        on: (listener) => worker.on('message', listener),
        timeout: ANSWER_MS,
      })
      const member = { worker, ask, startedAt: performance.now(), leaving: false }
      this.#members.set(worker.id, member)
      worker.on('error', () => {})
      worker.once('exit', (code, signal) => {
        this.#members.delete(worker.id)
        ask.$close()
        resolve({ exitCode: code || 1 })
        if (isReady && !member.leaving) void this.#replace(member, code, signal)
      })
    })
  }

  async #replace(
    { worker, startedAt }: Member,
    code: number | null,
    signal: string | null,
  ): Promise<void> {
    const { log } = this.#options
    if (performance.now() - startedAt >= YOUNG_MS) this.#failures = 0
    log.warn({ worker: worker.process.pid, code, signal }, 'a worker has ended: another one starts')
    while (!this.#closing.signal.aborted) {
      const pause =
        this.#failures === 0 ? 0 : Math.min(PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS)
      await sleep(pause, undefined, { signal: this.#closing.signal }).catch(() => {})
      if (this.#closing.signal.aborted) return
      this.#failures++
      const next = await this.#fork()
      if ('port' in next) return
      log.error(
        { exitCode: next.exitCode },
        'a worker could not start: it is tried again after a while',
      )
    }
  }

  /** Waits until a worker has ended, and kills one that hangs. */
  async #ended({ worker }: Member, patienceMs: number): Promise<void> {
    if (worker.isDead()) return
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs)
    await once(worker, 'exit')
    clearTimeout(timer)
  }

  /** Adds up the metrics of the workers that answer in time. */
  async #allMetrics(): Promise<string> {
    const answers = await Promise.allSettled(
      [...this.#members.values()].map(({ ask }) => ask.metrics()),
    )
    const metrics = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    )
    return AggregatorRegistry.aggregate(metrics).metrics()
  }
}
