import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Counter, type Registry } from 'prom-client'
import { sendCached, sendCachedQuery } from '../cache/cached-answers.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import type { Observer } from '../observe/observer.ts'
import { AcceptsFirst } from './accepts-first.ts'
import type { Admission } from './admission.ts'
import type { Connections } from './connections.ts'
import type { RateLimit } from './rate-limit.ts'
import { Refusal } from './refusal.ts'
import { RefusalPace } from './refusal-pace.ts'
import { handleWithoutUpgrade } from './without-upgrade.ts'

/** Whether a URL is a probe of the operator, which is answered in every state. */
export const isProbe = (url: string) => /^\/(health|livez|readyz|metrics)\/?(\?|$)/i.test(url)

const CLOSING = new Refusal({
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The server is closing. Try again in a moment.',
  retryAfter: 1,
  close: true,
})
const FULL = new Refusal({
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The server has reached its limit of connections. Try again later.',
  retryAfter: 10,
  close: true,
})
const OVERLOADED = new Refusal({
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The server has more requests than it can answer in time. Try again in a moment.',
  retryAfter: 1,
})

type Reason = 'closing' | 'connections' | 'overload' | 'rate'

interface FrontOptions {
  metrics: Registry
  observer: Observer
  edge: EdgeCache
  admission: Admission
  connections: Connections
  rateLimit: RateLimit | undefined
}

/** A WebSocket handshake at /graphql. The response is for a rejection. */
export interface Handshake {
  request: IncomingMessage
  response: ServerResponse
  socket: Socket
  /** What has arrived after the request. */
  head: Buffer
}

const isHandshake = ({ method, url = '', headers }: IncomingMessage) =>
  method === 'GET' && /^\/graphql\/?(\?|$)/i.test(url) && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Sees every request before it is parsed, and rejects it, answers it from cache, or passes it on.
 */
export class Front {
  readonly #server: Server
  readonly #options: FrontOptions
  readonly #pass: (request: IncomingMessage, response: ServerResponse) => void
  readonly #pace = new RefusalPace()
  readonly #acceptsFirst: AcceptsFirst
  readonly #refusals: Counter<'reason'>
  #closing = false

  constructor(server: Server, options: FrontOptions) {
    this.#server = server
    this.#options = options
    this.#acceptsFirst = new AcceptsFirst(server)
    this.#refusals = new Counter({
      name: 'gateway_refused_requests_total',
      help: 'Requests that were rejected unread, by reason: closing, too many connections, overload, rate limit.',
      labelNames: ['reason'],
      registers: [options.metrics],
    })
    const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
    this.#pass = (request, response) => {
      for (const listener of listeners) listener.call(server, request, response)
    }
    server.removeAllListeners('request')
    server.on('request', (request, response) => {
      options.observer.start(request, response)
      if (isProbe(request.url ?? '')) this.#probe(request, response)
      else this.#acceptsFirst.run(() => this.#handle(request, response))
    })
  }

  /** Passes WebSocket handshakes on, by the rules of requests. Other offers to upgrade a connection are ignored. */
  takeHandshakes(take: (handshake: Handshake) => void): void {
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (!isHandshake(request)) return handleWithoutUpgrade(this.#server, request, socket, head)
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => socket.destroySoon())
      socket.on('error', () => {})
      const pass = () => {
        if (this.#closing) return this.#refuse('closing', CLOSING, request, response)
        response.detachSocket(socket)
        take({ request, response, socket, head })
      }
      this.#acceptsFirst.run(() => this.#handle(request, response, pass))
    })
  }

  /** Whether new requests are rejected. */
  get closing(): boolean {
    return this.#closing
  }

  /** Rejects new requests from now on. Requests in progress are still answered. */
  close(): void {
    this.#closing = true
    this.#pace.close()
  }

  #probe(request: IncomingMessage, response: ServerResponse): void {
    this.#options.connections.use(request.socket)
    this.#pass(request, response)
  }

  #handle(request: IncomingMessage, response: ServerResponse, answer = () => this.#answer(request, response)): void {
    const { connections, rateLimit } = this.#options
    const over = connections.use(request.socket)
    if (this.#closing) this.#refuse('closing', CLOSING, request, response)
    else if (over) this.#refuse('connections', FULL, request, response)
    else if (rateLimit) void this.#charge(rateLimit, request, response, answer)
    else answer()
  }

  async #charge(
    rateLimit: RateLimit,
    request: IncomingMessage,
    response: ServerResponse,
    answer: () => void,
  ): Promise<void> {
    const message = await rateLimit.charge(request, response, 1)
    if (message === undefined) answer()
    else this.#refuse('rate', new Refusal({ status: 429, code: 'RATE_LIMITED', message }), request, response)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { edge } = this.#options
    const { method, url = '' } = request
    // The body of a small request arrives with its head, and so by the next tick.
    if (method === 'POST' && url === '/graphql')
      process.nextTick(() => sendCachedQuery(edge, request, response) || this.#admit(request, response))
    else if (!(url.startsWith('/graphql?') ? sendCachedQuery : sendCached)(edge, request, response))
      this.#admit(request, response)
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const { admission } = this.#options
    if (admission.admits(response, this.#pace.hasWaited(request.socket))) this.#pass(request, response)
    else this.refuseOverload(request, response)
  }

  refuseOverload(request: IncomingMessage, response: ServerResponse): void {
    this.#refuse('overload', OVERLOADED, request, response)
  }

  #refuse(reason: Reason, refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
    this.#refusals.inc({ reason })
    refusal.send(request, response)
    response.once('close', () => this.#pace.refused(request.socket))
  }
}
