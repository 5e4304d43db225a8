import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import { CloseCode, type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { GatewayError } from '../../errors.ts'
import { exactJson } from '../../exact-number.ts'
import { refusal } from '../../graphql/execution/errors.ts'
import { type createGraphQLServer, presentAndCount, type ServerContext } from '../../graphql/execution/yoga.ts'
import type { Slots } from '../../graphql/live/slots.ts'
import { documentReference } from '../../graphql/policy/documents.ts'
import type { ServedGraph } from '../../graphql/served-graph.ts'
import type { Chain, Handshake } from '../chain.ts'
import { exchangeOf } from '../exchange.ts'
import { type AdminTokens, adminOf } from '../server/admin.ts'
import type { Admission } from '../server/admission.ts'
import type { ClientOf } from '../server/client-address.ts'
import type { Connections } from '../server/connections.ts'
import { chargeOnce, type RateLimit } from '../server/rate-limit.ts'
import { Refusal } from '../server/refusal.ts'

/** With the bound on sockets, this bounds the memory of messages that arrive. */
const MAX_MESSAGE_BYTES = 64 * 1024
/** A client that leaves more unread is not read: pings are answered with as much as they bring. */
const MAX_UNREAD_BYTES = 64 * 1024
/** A client from which nothing comes between two pings, and that reads nothing, is disconnected. */
const PING_MS = 30_000
const CLOSING_MS = 300
const GOING_AWAY = 1001

export interface SocketsOptions {
  graph: ServedGraph
  adminTokens: AdminTokens
  rateLimit: RateLimit | undefined
  clientOf: ClientOf
  connections: Connections
  chain: Chain
  admission: Admission
  /** The slots for sockets. */
  slots: Slots
  /** A socket without a subscription is closed after this. */
  idleMs: number
}

/** What belongs to one socket. */
interface Extra {
  request: IncomingMessage
  response: ServerResponse
  client: string
  /** The texts of results that are about to be sent, by the id of the subscription. */
  texts: Map<string, string>
  context?: Context
  /** Whether there was a subscription since the last look. */
  used: boolean
}

/** Serves subscriptions over WebSockets, by the protocol of graphql-ws, with the bounds of event streams. */
export function mountSockets(
  app: FastifyInstance,
  server: ReturnType<typeof createGraphQLServer>,
  options: SocketsOptions,
): void {
  const { chain, slots, clientOf, connections, idleMs, graph } = options
  const protocol = makeServer<Record<string, unknown>, Extra>({
    onConnect(context) {
      context.extra.context = context
    },
    onSubscribe: (context, _id, payload) => subscribe(server, options, context, payload),
    subscribe: ({ rootValue }) => rootValue as AsyncGenerator<ExecutionResult>,
    onNext(context, id, _payload, _args, result) {
      const { stringify = exactJson } = result as { stringify?: (result: ExecutionResult) => string }
      context.extra.texts.set(id, stringify(result))
      return {}
    },
  })
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
  })

  function serve(socket: WebSocket, raw: Socket, extra: Extra): void {
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (message) =>
          new Promise((resolve, reject) => {
            if (socket.readyState !== socket.OPEN) return resolve()
            socket.send(withResult(message, extra.texts), (error) => (error ? reject(error) : resolve()))
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          socket.on('message', (message) =>
            handle(String(message)).catch((error: unknown) => {
              graph.deps.log.error({ err: error }, 'a message of a WebSocket failed')
              socket.close(CloseCode.InternalServerError, 'Internal server error')
            }),
          ),
      },
      extra,
    )
    // ws closes the socket after an error.
    socket.on('error', () => {})
    const stop = keepAlive(socket, raw)
    const idle = setInterval(() => {
      const { used, context } = extra
      extra.used = false
      if (!used && Object.keys(context?.subscriptions ?? {}).length === 0) socket.close(1000, 'Idle')
    }, idleMs)
    socket.once('close', (code, reason) => {
      stop()
      clearInterval(idle)
      void closed(code, String(reason))
    })
  }

  chain.takeHandshakes(({ request, response, socket: raw, head }: Handshake) => {
    if (raw.destroyed) return
    const client = clientOf(request)
    try {
      raw.once('close', slots.enter(client))
    } catch (error) {
      response.assignSocket(raw)
      return refuse(error as GatewayError, request, response)
    }
    connections.stream(raw)
    sockets.handleUpgrade(request, raw, head, (socket) =>
      serve(socket, raw, { request, response, client, texts: new Map(), used: false }),
    )
  })
  app.addHook('preClose', async () => {
    await Promise.all([...sockets.clients].map(end))
  })
}

/** Ends a socket, so that its client connects to the next server. */
async function end(socket: WebSocket): Promise<void> {
  const closed = once(socket, 'close')
  const deadline = setTimeout(() => socket.terminate(), CLOSING_MS)
  socket.close(GOING_AWAY, 'The server is closing')
  await closed
  clearTimeout(deadline)
}

function refuse({ code, message }: GatewayError, request: IncomingMessage, response: ServerResponse): void {
  const refusal = new Refusal({ status: code === 'RATE_LIMITED' ? 429 : 503, code, message, retryAfter: 10 })
  refusal.send(exchangeOf(request).id, request, response)
}

/** Disconnects a client that is gone or reads nothing, and does not read one that leaves too much unread. */
function keepAlive(socket: WebSocket, raw: Socket): () => void {
  let [received, sent] = [raw.bytesRead, 0]
  socket.ping()
  const pinging = setInterval(() => {
    const flushed = raw.bytesWritten - raw.writableLength
    const reads = raw.writableLength > 0 && flushed > sent
    if (raw.bytesRead === received && !reads) return socket.terminate()
    received = raw.bytesRead
    sent = flushed
    socket.ping()
  }, PING_MS)
  const hold = () => {
    if (raw.writableLength <= MAX_UNREAD_BYTES || socket.isPaused) return
    socket.pause()
    raw.once('drain', () => socket.resume())
  }
  socket.on('message', hold).on('ping', hold)
  return () => clearInterval(pinging)
}

/** A message with its result, which is text already. */
function withResult(message: string, texts: Map<string, string>): string {
  if (!message.endsWith('"type":"next","payload":{}}')) return message
  const { id } = JSON.parse(message) as { id: string }
  const text = texts.get(id)
  texts.delete(id)
  return text === undefined ? message : `${message.slice(0, -3)}${text}}`
}

/** A message that takes a turn among the requests of all clients. */
class Message extends EventEmitter {
  readonly destroyed = false
}

async function subscribe(
  server: ReturnType<typeof createGraphQLServer>,
  { graph, adminTokens, rateLimit, admission }: SocketsOptions,
  { extra, connectionParams = {} }: Context<Record<string, unknown>, Extra>,
  { query, operationName, variables, extensions }: SubscribePayload,
) {
  const { request, response, client } = extra
  const requestId = randomUUID()
  const message = new Message()
  extra.used = true
  try {
    const isAdmitted = await new Promise<boolean>((resolve) => {
      if (admission.admits(message, false)) admission.enter(message, resolve)
      else resolve(false)
    })
    if (!isAdmitted)
      throw new GatewayError(
        'UNAVAILABLE',
        'The server has more requests than it can answer in time. Try again in a moment.',
      )
    const rejection = await rateLimit?.charge(request, response, 1)
    if (rejection !== undefined) throw refusal('RATE_LIMITED', rejection)
    const authorization = request.headers.authorization ?? textOf(connectionParams.authorization)
    const controller = new AbortController()
    const context: ServerContext = {
      requestId,
      admin: adminOf({ authorization }, adminTokens),
      client,
      charge: chargeOnce(rateLimit, request, response),
      signal: controller.signal,
    }
    graph.limiter.assertReadable(variables)
    const { documentId } = (extensions ?? {}) as { documentId?: unknown }
    const text = await graph.documents.resolve(documentReference({ query: query || undefined, documentId, extensions }))
    const { schema, parse, validate, contextFactory, subscribe } = server.getEnveloped(context)
    const document = parse(text)
    const faults = validate(schema, document)
    if (faults.length > 0) return presented(faults)
    if (getOperationAST(document, operationName)?.operation !== 'subscription')
      throw new GraphQLError('A WebSocket takes subscriptions only. Send queries and mutations over HTTP.', {
        extensions: { code: 'BAD_REQUEST' },
      })
    const args = { schema, document, operationName: operationName ?? null, variableValues: variables ?? {} }
    const results = await subscribe({ ...args, contextValue: await contextFactory() })
    if (!(Symbol.asyncIterator in results)) return presented(results.errors)
    return { ...args, rootValue: endable(results, controller) }
  } catch (error) {
    return presented([error])
  } finally {
    message.emit('close')
  }

  function presented(errors: readonly unknown[] = []): GraphQLError[] {
    const wrapped = errors.map((error) =>
      error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error }),
    )
    const shown = presentAndCount(graph, { errors: wrapped }, requestId).errors ?? []
    for (const { extensions } of shown) delete extensions.http
    return [...shown]
  }
}

const textOf = (given: unknown) => (typeof given === 'string' ? given : undefined)

/** Results that graphql-ws can end while it waits for one. */
function endable(results: AsyncIterableIterator<ExecutionResult>, controller: AbortController) {
  const end = () => {
    controller.abort()
    return results.return?.() ?? Promise.resolve({ done: true as const, value: undefined })
  }
  return {
    next: () => results.next(),
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
