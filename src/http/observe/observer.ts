import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Statement } from '../../db/connect/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Log } from '../../log.ts'
import { type Exchange, exchangeOf } from '../exchange.ts'
import { RequestMetrics } from './request-metrics.ts'
import type { RequestTraces } from './request-traces.ts'

interface ObserverOptions {
  log: RequestLog
  metrics: RequestMetrics
  /** Undefined if requests are not traced. */
  traces: RequestTraces | undefined
}

/** Observes each request, and reports it when it has ended. */
export class Observer {
  readonly #options: ObserverOptions
  /** These are made once, not for each request. */
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

  /** Observes a request that has arrived. */
  start(exchange: Exchange): void {
    const { metrics, traces } = this.#options
    exchange.watcher = this.#watch
    if (traces?.samples(exchange.request)) exchange.traced = []
    metrics.started()
    exchange.response?.on('close', this.#ended)
  }

  /** Notes that the answer to a request is an event stream. */
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
  const traces = endpoint === undefined ? undefined : (await import('./request-traces.ts')).openTraces(endpoint, log)
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
  /** From how many milliseconds a request is slow. */
  slowRequestMs: number
  /** From how many milliseconds a statement is slow. */
  slowStatementMs: number
  /** True if the store is known to be away, which is logged once. */
  isAway(): boolean
}

const MAX_URL = 500
const MAX_STATEMENT = 4000

/** Logs requests, one line each, and their slow statements. Changes by an admin are always logged. */
export class RequestLog {
  readonly #options: RequestLogOptions

  constructor(options: RequestLogOptions) {
    this.#options = options
  }

  /** Logs a request that has ended, if its kind is logged. */
  ended(exchange: Exchange, ms: number): void {
    const { log } = this.#options
    if (!this.#isLogged(exchange, ms)) return
    const { id, request, response, route, operation, admin, errors, cache, cost, statements, statementMs } = exchange
    log.info(
      {
        requestId: id,
        method: request.method,
        url: request.url?.slice(0, MAX_URL),
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

  /** Logs a statement of a request if it was slow. */
  statement({ id, route, operation }: Exchange, { text, ms, outcome }: Statement): void {
    const { log, which, slowStatementMs, isAway } = this.#options
    if (which === 'off' || ms < slowStatementMs || isAway()) return
    const statement = text.length > MAX_STATEMENT ? `${text.slice(0, MAX_STATEMENT)}...` : text
    log.warn({ requestId: id, route, operation, ms: rounded(ms), outcome, statement }, 'slow statement')
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
