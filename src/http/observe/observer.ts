import type { ServerResponse } from 'node:http'
import type { Statement } from '../../db/connect/scope.ts'
import { type Exchange, exchangeOf } from '../exchange.ts'
import type { RequestLog } from './request-log.ts'
import type { RequestMetrics } from './request-metrics.ts'
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
