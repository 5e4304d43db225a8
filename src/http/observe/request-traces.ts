import type { IncomingMessage } from 'node:http'
import {
  type Context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import manifest from '../../../package.json' with { type: 'json' }
import type { Log } from '../../log.ts'
import { withoutSecrets } from '../../secrets.ts'
import type { Exchange } from '../exchange.ts'
import { shownPath } from './shown-path.ts'

const EXPORT_TIMEOUT_MS = 2000
const MAX_TEXT = 4000
// ExportResultCode of @opentelemetry/core.
const SUCCESS = 0

const clock = (at: number) => performance.timeOrigin + at

/**
 * Exports a trace of each request: its span has one for the GraphQL operation, if there is one, and
 * that has one for each SQL statement. Spans are made from the exchange of a request that has
 * ended, so nothing is carried through the code in between.
 */
export class RequestTraces {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor(exporter: SpanExporter) {
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': manifest.name,
        'service.version': manifest.version,
      }),
      spanProcessors: [
        new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS }),
      ],
    })
    this.#tracer = this.#provider.getTracer(manifest.name, manifest.version)
  }

  /** True if a request is traced: all are, unless the client's own trace is not recorded. */
  samples(request: IncomingMessage): boolean {
    const parent = trace.getSpanContext(parentOf(request))
    return parent === undefined || (parent.traceFlags & 1) === 1
  }

  ended(exchange: Exchange, ms: number): void {
    const {
      request,
      response,
      route,
      operation,
      operationAt,
      cost,
      errors,
      cache,
      traced = [],
      startedAt,
    } = exchange
    const { method = '', url = '' } = request
    const endedAt = clock(startedAt + ms)
    const span = this.#tracer.startSpan(
      `${method} ${route ?? ''}`.trim(),
      {
        kind: SpanKind.SERVER,
        startTime: clock(startedAt),
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': response?.statusCode,
          'url.path': shownPath(url).split('?')[0],
          'gateway.request_id': exchange.id,
          'gateway.cache': cache,
        },
      },
      parentOf(request),
    )
    if ((response?.statusCode ?? 0) >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    let parent = trace.setSpan(ROOT_CONTEXT, span)
    if (operation !== undefined) {
      const executed = this.#tracer.startSpan(
        operation,
        {
          startTime: clock(operationAt ?? startedAt),
          attributes: { 'graphql.operation.name': operation, 'gateway.cost': cost },
        },
        parent,
      )
      if (errors.length > 0)
        executed.setStatus({ code: SpanStatusCode.ERROR, message: errors.join(', ') })
      parent = trace.setSpan(parent, executed)
      executed.end(endedAt)
    }
    for (const { text, sentAt, ms, outcome } of traced) {
      const attributes = {
        'db.system.name': 'postgresql',
        'db.query.text': text.slice(0, MAX_TEXT),
      }
      const options = { kind: SpanKind.CLIENT, startTime: clock(sentAt), attributes }
      const sent = this.#tracer.startSpan(/^\s*(\w+)/.exec(text)?.[1] ?? 'SQL', options, parent)
      if (outcome !== 'ok') sent.setStatus({ code: SpanStatusCode.ERROR, message: outcome })
      sent.end(clock(sentAt + ms))
    }
    span.end(endedAt)
  }

  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => {})
  }
}

// The header of W3C Trace Context: version, trace, span and flags.
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

function parentOf({ headers: { traceparent, tracestate } }: IncomingMessage): Context {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(String(traceparent).trim()) ?? []
  const parent = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(typeof tracestate === 'string' && { traceState: createTraceState(tracestate) }),
  }
  const isValid = isSpanContextValid(parent) && !(version === '00' && more)
  return isValid ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}

/**
 * Opens the export of traces to a collector, by OTLP over HTTP. A collector that is away is logged
 * once.
 */
export function openTraces(endpoint: string, log: Log): RequestTraces {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const name = new URL(endpoint).origin
  let away = false
  return new RequestTraces({
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== SUCCESS
        if (failed && !away)
          log.warn(
            { cause: withoutSecrets(result.error?.message ?? ''), endpoint: name },
            'traces cannot be exported',
          )
        if (!failed && away) log.warn({ endpoint: name }, 'traces are exported again')
        away = failed
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  })
}
