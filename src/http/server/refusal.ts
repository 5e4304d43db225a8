import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { corsHeaders } from './cors.ts'
import { isGraphPath } from './path.ts'
import { problem } from './problem.ts'

interface RefusalOptions {
  status: number
  code: string
  message: string
  retryAfter?: number | undefined
  close?: boolean
}

// The connection is closed rather than reading a longer body.
const MAX_UNREAD_BYTES = 64 * 1024

/**
 * A prepared rejection of an unread request: a problem document, or a GraphQL error at /graphql.
 */
export class Refusal {
  readonly #options: RefusalOptions
  readonly #problem: Buffer
  readonly #graphql: Buffer

  get error(): Pick<RefusalOptions, 'code' | 'message'> {
    return this.#options
  }

  constructor(options: RefusalOptions) {
    const { status, code, message } = options
    this.#options = options
    this.#problem = Buffer.from(JSON.stringify(problem(status, message)))
    this.#graphql = Buffer.from(JSON.stringify({ errors: [{ message, extensions: { code } }] }))
  }

  send(requestId: string, request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers } = request
    const { status, retryAfter, close = false } = this.#options
    const isGraphQL = isGraphPath(url)
    const body = isGraphQL ? this.#graphql : this.#problem
    const type = isGraphQL ? graphqlType(headers) : 'application/problem+json'
    const head = ['request-id', requestId, 'vary', 'Origin', ...corsHeaders]
    head.push('cache-control', 'no-store')
    head.push('content-type', `${type}; charset=utf-8`, 'content-length', String(body.length))
    if (retryAfter !== undefined) head.push('retry-after', String(retryAfter))
    if (status === 401) head.push('www-authenticate', 'Bearer')
    if (close || hasLongBody(headers)) head.push('connection', 'close')
    response.writeHead(status, head).end(method === 'HEAD' ? undefined : body)
  }
}

const graphqlType = ({ accept }: IncomingMessage['headers']) =>
  accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'

const hasLongBody = (headers: IncomingMessage['headers']) =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > MAX_UNREAD_BYTES

// How many connections a second are read again after a refusal: more would leave no time for the
// requests that are served.
const PER_SECOND = 5000
const TICK_MS = 10
// A request that arrives so soon after its connection is read again was sent before that.
const WAITED_MS = 100

/**
 * Bounds how often clients that ignore `retry-after` are read. A refusal is always sent at once;
 * then the connection is not read until its turn comes. A client that waits for `retry-after` does
 * not notice.
 */
export class RefusalPace {
  readonly #waiting: (() => void)[] = []
  readonly #resumed = new WeakMap<Socket, number>()
  // How many connections may be read again now: it grows with time, however late the timer is.
  #due = PER_SECOND / TICK_MS
  #counted = performance.now()
  #closed = false
  #timer: NodeJS.Timeout | undefined

  refused(socket: Socket): void {
    if (this.#closed || socket.destroyed || this.#isDue()) return
    socket.pause()
    this.#wait(socket, () => socket.resume())
  }

  /** Resolves when a WebSocket whose message has been refused may be read again. */
  async turnOf(socket: Socket): Promise<void> {
    if (this.#closed || socket.destroyed || this.#isDue()) return
    await new Promise<void>((resolve) => this.#wait(socket, resolve))
  }

  /** True if a request was sent while its connection was not read. */
  hasWaited(socket: Socket): boolean {
    return performance.now() - (this.#resumed.get(socket) ?? Number.NEGATIVE_INFINITY) < WAITED_MS
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    for (const resume of this.#waiting.splice(0)) resume()
  }

  #isDue(): boolean {
    return this.#waiting.length === 0 && this.#takeTurn()
  }

  #wait(socket: Socket, resume: () => void): void {
    this.#waiting.push(() => {
      this.#resumed.set(socket, performance.now())
      resume()
    })
    this.#timer ??= setInterval(() => this.#resumeDue(), TICK_MS)
  }

  #takeTurn(): boolean {
    const now = performance.now()
    this.#due = Math.min(
      this.#due + ((now - this.#counted) * PER_SECOND) / 1000,
      PER_SECOND / TICK_MS,
    )
    this.#counted = now
    if (this.#due < 1) return false
    this.#due--
    return true
  }

  #resumeDue(): void {
    let resumed = 0
    while (resumed < this.#waiting.length && this.#takeTurn()) resumed++
    for (const resume of this.#waiting.splice(0, resumed)) resume()
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
