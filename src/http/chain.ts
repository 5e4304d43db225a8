import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { GatewayError } from '../errors.ts'
import type { Keys } from '../keys/index.ts'
import type { EdgeCache } from './cache/edge-cache.ts'
import { sendCached, sendCachedQuery } from './cache/send-answer.ts'
import { asksForWork, asksToExplain, type Exchange, exchangeOf, unreadable } from './exchange.ts'
import type { Observer } from './observe/observer.ts'
import type { Admission, Admitted } from './server/admission.ts'
import { AcceptsFirst, type Connections } from './server/connections.ts'
import { isGraphPath, isMisspelled, isProbe, withoutBase } from './server/path.ts'
import { sendNotFound, statusOf } from './server/problem.ts'
import type { RateLimit } from './server/rate-limit.ts'
import { Refusal, RefusalPace } from './server/refusal.ts'
import { handleWithoutUpgrade } from './server/without-upgrade.ts'

// Passes a request on by returning true. Otherwise it has answered the request, or continues the
// chain later.
type Step = (exchange: Exchange) => boolean

interface ChainOptions {
  observer: Observer
  connections: Connections
  rateLimit: RateLimit
  edge: EdgeCache
  admission: Admission
  metrics: Registry
  basePath: string
  keys: Keys
}

/** A WebSocket handshake at /graphql that has passed the chain. The response is for a rejection. */
export interface Handshake {
  request: IncomingMessage
  response: ServerResponse
  socket: Socket
  /** The bytes that have arrived after the request. */
  head: Buffer
}

// A message of a WebSocket that is rejected. Its socket may be read again when `turn` resolves.
interface RefusedMessage {
  refusal: Refusal
  turn: Promise<void>
}

/** The way of every request before it is parsed. */
export interface Chain {
  readonly closing: boolean
  /**
   * Passes WebSocket handshakes on, by the rules of requests. Other offers to upgrade a connection
   * are ignored.
   */
  takeHandshakes(take: (handshake: Handshake) => void): void
  /**
   * Applies the rules of requests to a message of a WebSocket.
   * @returns undefined if it may be read
   */
  admitMessage(handshake: Handshake, message: Admitted): Promise<RefusedMessage | undefined>
  refuseOverload(request: IncomingMessage, response: ServerResponse): void
  /** Rejects new requests from now on. Requests in progress are still answered. */
  close(): void
}

const isHandshake = ({ method, url = '', headers }: IncomingMessage) =>
  method === 'GET' && isGraphPath(url) && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Opens the chain in front of a server's request listeners, which become its last step. Listeners
 * that are added later run before the chain.
 */
export function openChain(server: Server, options: ChainOptions): Chain {
  const { observer, connections, rateLimit, edge, admission, basePath, keys } = options
  const refusals = new Counter({
    name: 'gateway_refused_requests_total',
    help:
      'Requests that were rejected unread, by reason: closing, too many connections, overload, ' +
      'rate limit, key.',
    labelNames: ['reason'],
    registers: [options.metrics],
  })
  const pace = new RefusalPace()
  const acceptsFirst = new AcceptsFirst(server, next)
  const listeners = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  let takeHandshake: (handshake: Handshake) => void = ({ socket }) => void socket.destroy()
  let closing = false

  const observe: Step = (exchange) => {
    observer.start(exchange)
    return true
  }
  const explain: Step = (exchange) => {
    const { request } = exchange
    if (asksToExplain(request) && typeof keys.adminOf(request.headers, undefined) === 'object')
      exchange.explain()
    if (asksForWork(request)) exchange.measure()
    return true
  }
  const answerProbe: Step = (exchange) => {
    if (!isProbe(exchange.request.url ?? '')) return true
    connections.use(exchange.request.socket)
    return handle(exchange)
  }
  const acceptConnections: Step = (exchange) => acceptsFirst.isDone(exchange)
  const limitConnections: Step = (exchange) => {
    const isOver = connections.use(exchange.request.socket)
    if (closing) return refuse(exchange, 'closing', CLOSING)
    return !isOver || refuse(exchange, 'connections', FULL)
  }
  const identify: Step = (exchange) => {
    const identified = keys.identify(exchange)
    void identified?.then((error) => {
      if (error) refuse(exchange, 'key', refusalOf(error))
      else next(exchange)
    })
    return !identified
  }
  const limitRate: Step = (exchange) => {
    if (!rateLimit.limits(exchange.request)) return true
    void overRate(rateLimit, exchange.request, responseOf(exchange)).then((refusal) => {
      if (refusal) refuse(exchange, 'rate', refusal)
      else next(exchange)
    })
    return false
  }
  const answerFromCache: Step = (exchange) => {
    const { url = '', method } = exchange.request
    if (exchange.handshake) return true
    if (method === 'POST' && url === '/graphql') {
      // The body of a small request arrives with its head, and so by the next tick.
      process.nextTick(answerQueryFromCache, exchange)
      return false
    }
    return !(url.startsWith('/graphql?') ? sendCachedQuery : sendCached)(edge, exchange)
  }
  const answerQueryFromCache = (exchange: Exchange) =>
    sendCachedQuery(edge, exchange) || next(exchange)
  const admit: Step = (exchange) => {
    if (exchange.handshake) return true
    return (
      admission.admits(responseOf(exchange), exchange.request.socket, pace) ||
      refuse(exchange, 'overload', OVERLOADED)
    )
  }
  const handle: Step = (exchange) => {
    const { request, handshake } = exchange
    const response = responseOf(exchange)
    if (!handshake) for (const listener of listeners) listener.call(server, request, response)
    else if (closing) refuse(exchange, 'closing', CLOSING)
    else {
      response.detachSocket(handshake.socket)
      takeHandshake({ request, response, ...handshake })
    }
    return false
  }

  const steps: readonly Step[] = [
    observe,
    answerProbe,
    acceptConnections,
    limitConnections,
    identify,
    limitRate,
    explain,
    answerFromCache,
    admit,
    handle,
  ]
  // A handshake has no answer to observe, and is never a probe.
  const firstOfHandshake = steps.indexOf(acceptConnections)

  function next(exchange: Exchange): void {
    while ((steps[exchange.step++] as Step)(exchange));
  }

  function refuse(exchange: Exchange, reason: RefusalReason, refusal: Refusal): false {
    const { request } = exchange
    const response = responseOf(exchange)
    refusals.inc({ reason })
    refusal.send(exchange.id, request, response)
    response.once('close', () => pace.refused(request.socket))
    return false
  }

  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    request.url = withoutBase(request.url ?? '', basePath)
    next(exchangeOf(request, response))
  })

  return {
    get closing() {
      return closing
    },
    takeHandshakes(take) {
      takeHandshake = take
      server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
        request.url = withoutBase(request.url ?? '', basePath)
        if (!isHandshake(request)) return handleWithoutUpgrade(server, request, socket, head)
        const response = new ServerResponse(request)
        response.shouldKeepAlive = false
        response.assignSocket(socket)
        response.once('finish', () => socket.destroySoon())
        socket.on('error', () => {})
        const exchange = exchangeOf(request, response)
        exchange.handshake = { socket, head }
        exchange.step = firstOfHandshake
        next(exchange)
      })
    },
    async admitMessage({ request, response, socket }, message) {
      const refused = (reason: RefusalReason, refusal: Refusal) => {
        refusals.inc({ reason })
        return { refusal, turn: pace.turnOf(socket) }
      }
      if (closing) return refused('closing', CLOSING)
      const refusal = await overRate(rateLimit, request, response)
      if (refusal) return refused('rate', refusal)
      const isAdmitted = await new Promise<boolean>((resolve) => {
        message.once('close', () => resolve(false))
        if (admission.admits(message, socket, pace)) admission.enter(message, resolve)
        else resolve(false)
      })
      return isAdmitted ? undefined : refused('overload', OVERLOADED)
    },
    refuseOverload: (request, response) =>
      void refuse(exchangeOf(request, response), 'overload', OVERLOADED),
    close() {
      closing = true
      pace.close()
    },
  }
}

/**
 * Continues the chain for a request that has been routed. Answers that are sent directly have all
 * headers already.
 */
export function continueRouted(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions
    if (isMisspelled(url, request.url)) return sendNotFound(request, reply)
    exchangeOf(request.raw, reply.raw).route = documentedPath(url)
    done(unreadable(request.raw))
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('request-id', request.id)
    const vary = String(reply.getHeader('vary') ?? '')
    if (!/\bOrigin\b/i.test(vary)) reply.header('vary', vary ? `Origin, ${vary}` : 'Origin')
    done(null, payload)
  })
}

const documentedPath = (url = '') =>
  url.includes(':') ? url.replace(/:(\w+)/g, '{$1}') : url || undefined

async function overRate(
  rateLimit: RateLimit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | undefined> {
  const message = await rateLimit.charge(request, response, 1)
  return message === undefined
    ? undefined
    : new Refusal({ status: 429, code: 'RATE_LIMITED', message })
}

const refusalOf = ({ code, message, retryAfterSeconds: retryAfter }: GatewayError) =>
  new Refusal({ status: statusOf(code), code, message, retryAfter })

type RefusalReason = 'closing' | 'connections' | 'key' | 'overload' | 'rate'

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

const responseOf = ({ response }: Exchange) => response as ServerResponse
