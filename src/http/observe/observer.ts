import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { Statement } from '../../db/connect/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Log } from '../../log.ts'
import type { CacheResult } from '../cache/answer.ts'
import { type Exchange, exchangeOf } from '../exchange.ts'
import type { RequestTraces } from './request-traces.ts'
import { shownPath } from './shown-path.ts'

interface ObserverOptions {
  log: RequestLog
  metrics: RequestMetrics
  traces: RequestTraces | undefined
}

/** Observes each request, and reports it when it has ended. */
export class Observer {
  readonly #options: ObserverOptions
  // These are made once, not for each request.
  readonly #watch: (exchange: Exchange, statement: Statement) => void
  readonly #ended: (this: ServerResponse) => void

  constructor(options: ObserverOptions) {
    this.#options = options
    const { metrics, log } = options
    this.#watch = (exchange, statement) => {
      metrics.statement(statement)
      log.statement(exchange, statement)
    }
    const end = (exchange: Exchange) => this.#end(exchange)
    this.#ended = function () {
      end(exchangeOf(this.req))
    }
  }

  start(exchange: Exchange): void {
    const { metrics, traces } = this.#options
    exchange.watcher = this.#watch
    if (traces?.samples(exchange.request)) exchange.traced = []
    metrics.started()
    exchange.response?.on('close', this.#ended)
  }

  streams(exchange: Exchange): void {
    exchange.streams = true
    this.#options.metrics.streams()
  }

  #end(exchange: Exchange): void {
    const { metrics, log, traces } = this.#options
    const ms = performance.now() - exchange.startedAt
    metrics.ended(exchange, ms)
    log.ended(exchange, ms)
    if (exchange.traced) traces?.ended(exchange, ms)
  }
}

/** Observes requests: their log lines, their metrics, and their traces if they are exported. */
export async function openObserver(
  app: FastifyInstance,
  { config, log, metrics, outage }: Deps,
  knownOperations: ReadonlySet<string>,
): Promise<Observer> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const traces =
    endpoint === undefined
      ? undefined
      : (await import('./request-traces.ts')).openTraces(endpoint, log)
  if (traces) app.addHook('onClose', () => traces.close())
  return new Observer({
    traces,
    metrics: new RequestMetrics({ metrics, knownOperations }),
    log: new RequestLog({
      log,
      which: config.LOG_REQUESTS,
      slowRequestMs: config.SLOW_REQUEST_MS,
      slowStatementMs: config.SLOW_STATEMENT_MS,
      isAway: () => outage.active,
    }),
  })
}

/** Which requests are logged: all, slow ones, none, or a share of them besides the slow ones. */
export type LoggedRequests = 'all' | 'slow' | 'off' | number

interface RequestLogOptions {
  log: Log
  which: LoggedRequests
  slowRequestMs: number
  slowStatementMs: number
  isAway(): boolean
}

const MAX_URL = 500
const MAX_STATEMENT = 4000

/**
 * Logs requests, one line each, and their slow statements. Changes by an admin are always logged.
 */
export class RequestLog {
  readonly #options: RequestLogOptions

  constructor(options: RequestLogOptions) {
    this.#options = options
  }

  ended(exchange: Exchange, ms: number): void {
    const { log } = this.#options
    if (!this.#isLogged(exchange, ms)) return
    const {
      id,
      request,
      response,
      route,
      operation,
      admin,
      errors,
      cache,
      cost,
      statements,
      statementMs,
    } = exchange
    log.info(
      {
        requestId: id,
        method: request.method,
        url: shownPath(request.url).slice(0, MAX_URL),
        route,
        operation,
        admin,
        status: response?.headersSent ? response.statusCode : undefined,
        errors: errors.length > 0 ? errors : undefined,
        aborted: response?.writableFinished ? undefined : true,
        cache,
        cost,
        statements,
        statementMs: rounded(statementMs),
        ms: rounded(ms),
      },
      admin === undefined ? 'request' : 'change by an admin',
    )
  }

  statement({ id, route, operation }: Exchange, { text, ms, outcome }: Statement): void {
    const { log, which, slowStatementMs, isAway } = this.#options
    if (which === 'off' || ms < slowStatementMs || isAway()) return
    const statement = text.length > MAX_STATEMENT ? `${text.slice(0, MAX_STATEMENT)}...` : text
    log.warn(
      { requestId: id, route, operation, ms: rounded(ms), outcome, statement },
      'slow statement',
    )
  }

  #isLogged({ admin, streams }: Exchange, ms: number): boolean {
    const { which, slowRequestMs, isAway } = this.#options
    if (admin !== undefined || which === 'all') return true
    if (which === 'off') return false
    if (ms >= slowRequestMs && !streams && !isAway()) return true
    return typeof which === 'number' && Math.random() < which
  }
}

const rounded = (ms: number) => Math.round(ms * 10) / 10

const OUTCOMES: Statement['outcome'][] = ['ok', 'failed', 'timeout']

const OTHER = 'other'

interface RequestMetricsOptions {
  metrics: Registry
  /** The operations of trusted documents. Others share one label, as clients choose their names. */
  knownOperations: ReadonlySet<string>
}

class RequestMetrics {
  readonly #knownOperations: ReadonlySet<string>
  readonly #requests: DurationHistogram
  readonly #statements: DurationHistogram
  // Separate numbers, since those of prom-client cost more with each request.
  #inFlight = 0
  readonly #cache: Record<CacheResult, number> = {
    hit: 0,
    joined: 0,
    shared: 0,
    miss: 0,
    bypass: 0,
  }

  constructor({ metrics, knownOperations }: RequestMetricsOptions) {
    const registers = [metrics]
    this.#knownOperations = knownOperations
    this.#requests = new DurationHistogram({
      name: 'gateway_http_request_duration_seconds',
      help:
        'Requests by route, operation of a trusted document (GraphQL only, otherwise empty or ' +
        'other) and class of the status; aborted: the client left before the answer was sent. ' +
        'Event streams are not included.',
      metrics,
    })
    this.#statements = new DurationHistogram({
      name: 'gateway_database_statement_duration_seconds',
      help:
        'SQL statements of reads, by outcome, without the wait for a connection. timeout: ' +
        'READ_TIMEOUT_MS was reached.',
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
      help:
        'Requests by what the cache did: hit (in memory), joined (the answer that another ' +
        'request was computing), shared (in Redis), miss, bypass (requested with cache-control).',
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

  streams(): void {
    this.#inFlight--
  }

  ended({ route = OTHER, operation, cache, streams, response }: Exchange, ms: number): void {
    if (cache !== undefined) this.#cache[cache]++
    if (streams) return
    this.#inFlight--
    const isNamed = operation === undefined || this.#knownOperations.has(operation)
    const label = isNamed ? (operation ?? '') : OTHER
    const status = response?.writableFinished
      ? `${Math.floor(response.statusCode / 100)}xx`
      : 'aborted'
    this.#requests.observe(
      `${route} ${label} ${status}`,
      () => ({ route, operation: label, status }),
      ms,
    )
  }

  statement({ ms, outcome }: Statement): void {
    this.#statements.observe(outcome, () => ({ outcome }), ms)
  }
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface DurationSeries {
  labels: Record<string, string>
  /** By bucket, the last one without an upper bound. */
  counts: number[]
  seconds: number
}

interface DurationHistogramOptions {
  name: string
  help: string
  metrics: Registry
}

// A histogram of durations in a registry of prom-client. Its own takes 1.5 µs for each value, which
// is 3 % of an answer from memory: it sorts and joins the labels each time.
class DurationHistogram {
  readonly #options: DurationHistogramOptions
  readonly #series = new Map<string, DurationSeries>()

  constructor(options: DurationHistogramOptions) {
    this.#options = options
    const metric = {
      name: options.name,
      get: () => this.#read(),
      reset: () => this.#series.clear(),
    }
    options.metrics.registerMetric(metric as unknown as Metric)
  }

  observe(key: string, labels: () => Record<string, string>, ms: number): void {
    const series = this.#series.get(key) ?? this.open(key, labels())
    const seconds = ms / 1000
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++
    series.counts[bucket] = (series.counts[bucket] as number) + 1
    series.seconds += seconds
  }

  open(key: string, labels: Record<string, string>): DurationSeries {
    const series = { labels, counts: Array(BUCKETS.length + 1).fill(0), seconds: 0 }
    this.#series.set(key, series)
    return series
  }

  async #read() {
    const { name, help } = this.#options
    const values = [...this.#series.values()].flatMap(({ labels, counts, seconds }) => {
      let sum = 0
      const buckets = counts.map((count, i) => {
        sum += count
        return {
          metricName: `${name}_bucket`,
          labels: { ...labels, le: BUCKETS[i] ?? '+Inf' },
          value: sum,
        }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: seconds },
        { metricName: `${name}_count`, labels, value: sum },
      ]
    })
    return { name, help, type: 'histogram', values }
  }
}
