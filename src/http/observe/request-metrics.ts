import { Counter, Gauge, type Registry } from 'prom-client'
import type { Statement } from '../../db/connect/scope.ts'
import type { CacheResult } from '../cache/edge-cache.ts'
import type { Exchange } from '../exchange.ts'
import { DurationHistogram } from './duration-histogram.ts'

const OUTCOMES: Statement['outcome'][] = ['ok', 'failed', 'timeout']

/** The label of a request without a route or a known operation. */
const OTHER = 'other'

interface RequestMetricsOptions {
  metrics: Registry
  /** The operations of trusted documents. Others share one label, as clients choose their names. */
  knownOperations: ReadonlySet<string>
}

/** Counts requests and statements, and how long they take. */
export class RequestMetrics {
  readonly #knownOperations: ReadonlySet<string>
  readonly #requests: DurationHistogram
  readonly #statements: DurationHistogram
  /** Separate numbers, since those of prom-client cost more with each request. */
  #inFlight = 0
  readonly #cache: Record<CacheResult, number> = { hit: 0, joined: 0, shared: 0, miss: 0, bypass: 0 }

  constructor({ metrics, knownOperations }: RequestMetricsOptions) {
    const registers = [metrics]
    this.#knownOperations = knownOperations
    this.#requests = new DurationHistogram({
      name: 'gateway_http_request_duration_seconds',
      help: 'Requests by route, operation of a trusted document (GraphQL only, otherwise empty or other) and class of the status; aborted: the client left before the answer was sent. Event streams are not included.',
      metrics,
    })
    this.#statements = new DurationHistogram({
      name: 'gateway_database_statement_duration_seconds',
      help: 'SQL statements of reads, by outcome, without the wait for a connection. timeout: READ_TIMEOUT_MS was reached.',
      metrics,
    })
    for (const outcome of OUTCOMES) this.#statements.open(outcome, { outcome })
    const inFlight = () => this.#inFlight
    new Gauge({
      name: 'gateway_http_requests_in_flight',
      help: 'Requests that have arrived and are not answered, without event streams.',
      registers,
      collect() {
        this.set(inFlight())
      },
    })
    const results = this.#cache
    new Counter({
      name: 'gateway_cache_requests_total',
      help: 'Requests by what the cache did: hit (in memory), joined (the answer that another request was computing), shared (in Redis), miss, bypass (requested with cache-control).',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset()
        for (const [result, count] of Object.entries(results)) this.inc({ result }, count)
      },
    })
  }

  started(): void {
    this.#inFlight++
  }

  /** Counts an event stream no longer as in flight. */
  streams(): void {
    this.#inFlight--
  }

  ended({ route = OTHER, operation, cache, streams, response }: Exchange, ms: number): void {
    if (cache !== undefined) this.#cache[cache]++
    if (streams) return
    this.#inFlight--
    const known = operation === undefined ? '' : this.#knownOperations.has(operation) ? operation : OTHER
    const status = response?.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted'
    this.#requests.observe(`${route} ${known} ${status}`, () => ({ route, operation: known, status }), ms)
  }

  statement({ ms, outcome }: Statement): void {
    this.#statements.observe(outcome, () => ({ outcome }), ms)
  }
}
