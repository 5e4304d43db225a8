import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Statement } from '../../db/connect/scope.ts'
import type { Deps } from '../../deps.ts'
import { type Exchange, exchangeOf } from '../exchange.ts'
import { RequestLog } from './request-log.ts'
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
