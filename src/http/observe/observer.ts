import type { IncomingMessage, ServerResponse } from 'node:http'
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

  constructor(options: ObserverOptions) {
    this.#options = options
  }

  /** Starts the record of a request that has arrived. */
  start(request: IncomingMessage, response: ServerResponse): void {
    const { metrics, log, traces } = this.#options
    const record = recordOf(request, response)
    record.watcher = (record, statement) => {
      metrics.statement(statement)
      log.statement(record, statement)
    }
    if (traces?.samples(request)) record.kept = []
    metrics.started()
    response.once('close', () => this.#end(record))
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
    if (record.kept) traces?.ended(record, ms)
  }
}
