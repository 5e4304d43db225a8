import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Statement } from '../../db/connect/scope.ts'
import type { RequestLog } from './request-log.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { type RequestRecord, recordOf } from './request-record.ts'
import type { RequestTraces } from './request-traces.ts'

interface ObserverOptions {
  log: RequestLog
  metrics: RequestMetrics
  /** Undefined if requests are not traced. */
  traces: RequestTraces | undefined
}

/** Records each request, and passes its record on when it has ended. */
export class Observer {
  readonly #options: ObserverOptions
  /** These are made once, not for each request. */
  readonly #watch: (record: RequestRecord, statement: Statement) => void
  readonly #ended: (this: ServerResponse) => void

  constructor(options: ObserverOptions) {
    this.#options = options
    const { metrics, log } = options
    this.#watch = (record, statement) => {
      metrics.statement(statement)
      log.statement(record, statement)
    }
    const end = (record: RequestRecord) => this.#end(record)
    this.#ended = function () {
      end(recordOf(this.req))
    }
  }

  /** Starts the record of a request that has arrived. */
  start(request: IncomingMessage, response: ServerResponse): void {
    const { metrics, traces } = this.#options
    const record = recordOf(request, response)
    record.watcher = this.#watch
    if (traces?.samples(request)) record.traced = []
    metrics.started()
    response.on('close', this.#ended)
  }

  /** Notes that the answer to a request is an event stream. */
  streams(record: RequestRecord): void {
    record.streams = true
    this.#options.metrics.streams()
  }

  #end(record: RequestRecord): void {
    const { metrics, log, traces } = this.#options
    const ms = performance.now() - record.startedAt
    metrics.ended(record, ms)
    log.ended(record, ms)
    if (record.traced) traces?.ended(record, ms)
  }
}
