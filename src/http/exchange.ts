import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Caller, DataVersions, Decision, Statement } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import type { CallerKey } from '../keys/index.ts'
import type { CacheResult } from './cache/answer.ts'

/** The header with the data version of an answer, which a client may send with its next request. */
export const DATA_VERSION = 'x-data-version'

const EXPLAIN = 'x-explain'

// The statements in the trace of one request. More are only counted.
const MAX_TRACED = 100

interface UpgradedSocket {
  socket: Socket
  head: Buffer
}

/**
 * A request and its response. The chain passes it from step to step; the log, metrics and traces
 * read it; it is the caller of the request's reads.
 */
export class Exchange implements Caller {
  readonly startedAt = performance.now()
  /**
   * The id of the request in its answer and in logs: the client's if it is valid, else a new one.
   */
  readonly id: string
  readonly request: IncomingMessage
  response: ServerResponse | undefined
  step = 0
  handshake: UpgradedSocket | undefined
  /** The documented path of the route. Undefined before routing, and if there is none. */
  route: string | undefined
  operation: string | undefined
  /** When the operation started, by `performance.now()`. */
  operationAt: number | undefined
  cost: number | undefined
  errors: string[] = NO_ERRORS
  admin: string | undefined
  key: CallerKey | undefined
  /** True if the answer is an event stream, which ends when its client has had enough. */
  streams = false
  /** The data version of an answer that is not cached. Undefined without replicas. */
  dataVersion: number | undefined
  /** The number of SQL statements that ran for it, and how long they took, in milliseconds. */
  statements = 0
  statementMs = 0
  traced: Statement[] | undefined
  leaveSlot = () => {}
  #cache: CacheResult | undefined
  // By decision. Undefined unless an admin asks for them.
  #decisions: Map<Decision, string> | undefined
  watcher: ((exchange: Exchange, statement: Statement) => void) | undefined

  constructor(request: IncomingMessage) {
    this.request = request
    this.id = requestIdOf(request.headers)
  }

  /**
   * True if the client rejects cached answers. `no-cache` with a condition is ignored, as fetch
   * adds it.
   */
  get bypassesCache(): boolean {
    const { 'cache-control': sent, 'if-none-match': tag } = this.request.headers
    return sent !== undefined && tag === undefined && /\bno-(cache|store)\b/i.test(sent)
  }

  get cache(): CacheResult | undefined {
    return this.#cache
  }

  set cache(result: CacheResult | undefined) {
    this.#cache = result
    if (result) this.onDecision('cache', result)
  }

  explain(): void {
    this.#decisions = new Map()
  }

  onDecision(decision: Decision, choice: string): void {
    if (!this.#decisions || !this.response || this.response.headersSent) return
    this.#decisions.set(decision, choice)
    const list = Array.from(this.#decisions, ([name, chosen]) => `${name}=${chosen}`)
    this.response.setHeader(EXPLAIN, list.join('; '))
  }

  /** Adds `server-timing` to the answer: its cost, statements and time, and the cache's part. */
  measure(): void {
    const { response } = this
    const writeHead = response?.writeHead as (...head: unknown[]) => ServerResponse
    const withTiming = (...head: unknown[]) => {
      const { cost, statements, statementMs, startedAt, cache = 'none' } = this
      const parts = [
        `total;dur=${(performance.now() - startedAt).toFixed(1)}`,
        `cache;desc=${cache}`,
      ]
      if (cost !== undefined) parts.push(`cost;desc="${cost}"`)
      parts.push(`sql;dur=${statementMs.toFixed(1)};desc="${statements}"`)
      response?.setHeader('server-timing', parts.join(', '))
      return writeHead.apply(response, head)
    }
    Object.assign(response ?? {}, { writeHead: withTiming })
  }

  /** Ends the request, since its key is no longer valid: a stream by an error, others at once. */
  revoke(error: GatewayError): void {
    this.key?.revoked.abort(error)
    if (!this.streams && !this.handshake) this.response?.destroy()
  }

  get minVersion(): number | undefined {
    return minVersionOf(this.request.headers)
  }

  onQueued(): void {
    this.leaveSlot()
  }

  onVersions({ to }: DataVersions): void {
    this.dataVersion = to
  }

  get aborted(): boolean {
    return this.response?.destroyed ?? false
  }

  onStatement(statement: Statement): void {
    this.statements++
    this.statementMs += statement.ms
    if (this.traced && this.traced.length < MAX_TRACED) this.traced.push(statement)
    this.watcher?.(this, statement)
  }

  startOperation(name: string): void {
    this.operation = name
    this.operationAt ??= performance.now()
  }
}

const NO_ERRORS: string[] = []
const EXCHANGE = Symbol('exchange')
type Exchanged = IncomingMessage & { [EXCHANGE]?: Exchange }

/** The exchange of a request, which is made on first use. */
export function exchangeOf(request: IncomingMessage, response?: ServerResponse): Exchange {
  const exchanged = request as Exchanged
  exchanged[EXCHANGE] ??= new Exchange(request)
  exchanged[EXCHANGE].response ??= response
  return exchanged[EXCHANGE]
}

/** The data version that a client requires at least. NaN if its header is not valid. */
export function minVersionOf(headers: IncomingHttpHeaders): number | undefined {
  const sent = headers[DATA_VERSION]
  if (sent === undefined) return undefined
  return typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : Number.NaN
}

/** True if a request asks for the decisions about its read. */
export const asksToExplain = ({ headers }: IncomingMessage): boolean => headers[EXPLAIN] === 'read'

/** True if a request asks for the work that its answer takes. */
export const asksForWork = ({ headers }: IncomingMessage): boolean => headers[EXPLAIN] === 'work'

export function unreadable({ url = '', headers }: IncomingMessage): GatewayError | undefined {
  if (Number.isNaN(minVersionOf(headers))) {
    const message = 'must be a whole number, as in an answer of this gateway'
    return new GatewayError('BAD_INPUT', `The header ${DATA_VERSION} ${message}.`, [
      { in: 'header', name: DATA_VERSION, message },
    ])
  }
  if (!url.includes('%')) return undefined
  try {
    decodeURIComponent(url)
    return undefined
  } catch {
    const message = 'is not valid: its percent-encoding is broken'
    return new GatewayError('BAD_INPUT', `The URL ${message}.`, [
      { in: 'query', name: '', message },
    ])
  }
}

/**
 * Options of Fastify: a request and its exchange have one id. The few log lines of requests carry
 * the request id themselves.
 */
export const ofExchanges = {
  genReqId: (request: IncomingMessage) => exchangeOf(request).id,
  childLoggerFactory: <Log>(logger: Log) => logger,
}

function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID()
}
