import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql'
import {
  CloseCode,
  type Context,
  handleProtocols,
  makeServer,
  type SubscribePayload,
} from 'graphql-ws'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'
import type { GatewayError } from '../../errors.ts'
import { exactJson } from '../../exact-number.ts'
import type { Graph } from '../../graphql/execution/graph.ts'
import { resultOf } from '../../graphql/execution/outcome.ts'
import { subscribe } from '../../graphql/live/subscribe.ts'
import { operationNameOf } from '../../graphql/policy/documents.ts'
import { sentKey } from '../../keys/index.ts'
import type { Handshake } from '../chain.ts'
import type { Edge } from '../edge.ts'
import { exchangeOf } from '../exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { FAILURES } from './refusals.ts'
import type { ServedGraph } from './served-graph.ts'

// With the bound on sockets, this bounds the memory of messages that arrive.
const MAX_MESSAGE_BYTES = 64 * 1024
// A client that leaves more unread is not read: pings are answered with as much as they bring.
const MAX_UNREAD_BYTES = 64 * 1024
const MAX_MISTAKES = 10
// A client that sends and reads nothing between two pings is disconnected.
const PING_MS = 30_000
const CLOSING_MS = 300
const GOING_AWAY = 1001
const UNAUTHORIZED = CloseCode.Unauthorized

interface Extra extends Handshake {
  client: string
  gone: AbortSignal
  send(message: string): Promise<void>
  close(error: GatewayError): void
  context?: Context
  /** True if there was a subscription since the last look. */
  used: boolean
  mistakes: number
  /** Called when the subscription that is being read has started. */
  started(): void
  /** After a refusal: resolves when the next message may be read. */
  turn: Promise<void> | undefined
}

/**
 * Serves subscriptions over WebSockets, by the protocol of graphql-ws, with the bounds of event
 * streams. Each message is a request: the rules of requests apply to it, and the next one is read
 * when it is answered.
 * @param idleMs a socket without a subscription is closed after this
 */
export function mountSockets(
  app: FastifyInstance,
  { graph, sockets: slots }: ServedGraph,
  edge: Edge,
  idleMs: number,
): void {
  const { chain, clientOf, connections, keys } = edge
  const protocol = makeServer<Record<string, unknown>, Extra>({
    async onConnect(context) {
      const { extra, connectionParams = {} } = context
      extra.context = context
      const exchange = exchangeOf(extra.request)
      const sent = sentKey(connectionParams)
      const fault = sent === undefined ? undefined : await keys.use(sent, exchange)
      if (fault) return extra.close(fault)
      const revoked = exchange.key?.revoked.signal
      // Its subscriptions end by this error first.
      revoked?.addEventListener('abort', () =>
        setTimeout(() => extra.close(revoked.reason), CLOSING_MS),
      )
    },
    async onSubscribe(context, id, payload) {
      const { extra } = context
      const started = await start(graph, edge, context, id, payload)
      if (Array.isArray(started)) extra.mistakes += started.some(isMistake) ? 1 : 0
      else {
        extra.mistakes = 0
        extra.started()
      }
      return started
    },
    subscribe: ({ rootValue }) => rootValue as AsyncGenerator<never>,
  })
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    // Otherwise all messages of one packet arrive in one turn of the event loop.
    allowSynchronousEvents: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
  })

  // Passes messages on one after another: each when the last is answered, or its subscription has
  // started.
  async function read(
    socket: WebSocket,
    extra: Extra,
    handle: (message: string) => Promise<void>,
  ): Promise<void> {
    const { socket: raw, gone } = extra
    const messages = createWebSocketStream(socket, {
      readableObjectMode: true,
      readableHighWaterMark: 1,
    })
    // Answers to pings may be left unread, too.
    socket.on('ping', () => {
      if (raw.writableLength <= MAX_UNREAD_BYTES || socket.isPaused) return
      socket.pause()
      raw.once('drain', () => messages.readableLength === 0 && socket.resume())
    })
    for await (const message of messages) {
      if (socket.readyState !== socket.OPEN) continue
      await new Promise<void>((answered) => {
        extra.started = answered
        handle(message)
          .catch((error: Error) => fail(socket, error))
          .finally(answered)
      })
      if (extra.mistakes >= MAX_MISTAKES)
        socket.close(
          CloseCode.BadRequest,
          `${MAX_MISTAKES} mistakes in a row. Correct them, then connect again.`,
        )
      await extra.turn
      extra.turn = undefined
      if (raw.writableLength > MAX_UNREAD_BYTES) await once(raw, 'drain', { signal: gone })
      await nextTurn()
    }
  }

  function fail(socket: WebSocket, error: Error): void {
    // graphql-ws rejects messages that only a server may send.
    const isUnexpected = /^Unexpected message of type/.test(error.message)
    if (isUnexpected) socket.close(CloseCode.BadRequest, 'Invalid message received')
    else {
      graph.deps.log.error({ err: error }, 'a message of a WebSocket failed')
      socket.close(CloseCode.InternalServerError, 'Internal server error')
    }
  }

  function serve(socket: WebSocket, extra: Extra): void {
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: extra.send,
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => {
          // Reading fails when the socket closes after an error, or while its client leaves answers
          // unread.
          read(socket, extra, handle).catch(() => {})
        },
      },
      extra,
    )
    // ws closes the socket after an error.
    socket.on('error', () => {})
    const stop = keepAlive(socket, extra.socket)
    const idle = setInterval(() => {
      const { used, context } = extra
      extra.used = false
      if (!used && Object.keys(context?.subscriptions ?? {}).length === 0)
        socket.close(1000, 'Idle')
    }, idleMs)
    socket.once('close', (code, reason) => {
      stop()
      clearInterval(idle)
      void closed(code, String(reason))
    })
  }

  chain.takeHandshakes((handshake: Handshake) => {
    const { request, response, socket: raw, head } = handshake
    if (raw.destroyed) return
    const client = clientOf(request)
    try {
      raw.once('close', slots.enter(client))
    } catch (error) {
      response.assignSocket(raw)
      return refuse(error as GatewayError, request, response)
    }
    connections.stream(raw)
    sockets.handleUpgrade(request, raw, head, (socket) => {
      const gone = new AbortController()
      socket.once('close', () => gone.abort())
      serve(socket, {
        ...handshake,
        client,
        gone: gone.signal,
        // A message to a client that has gone is dropped.
        send: (message) => new Promise((resolve) => socket.send(message, () => resolve())),
        close: ({ message }) => socket.close(UNAUTHORIZED, message),
        used: false,
        mistakes: 0,
        started() {},
        turn: undefined,
      })
    })
  })
  app.addHook('preClose', async () => {
    await Promise.all([...sockets.clients].map(end))
  })
}

async function end(socket: WebSocket): Promise<void> {
  const closed = once(socket, 'close')
  const deadline = setTimeout(() => socket.terminate(), CLOSING_MS)
  socket.close(GOING_AWAY, 'The server is closing')
  await closed
  clearTimeout(deadline)
}

function refuse(
  { code, message }: GatewayError,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const refusal = new Refusal({
    status: code === 'RATE_LIMITED' ? 429 : 503,
    code,
    message,
    retryAfter: 10,
  })
  refusal.send(exchangeOf(request).id, request, response)
}

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
  return () => clearInterval(pinging)
}

// A message as a request. It is closed when it is answered, or with its socket.
class MessageRequest extends EventEmitter {
  destroyed = false

  close(): void {
    this.destroyed = true
    this.emit('close')
  }
}

async function start(
  graph: Graph,
  { keys, rateLimit, chain }: Edge,
  { extra, connectionParams = {} }: Context<Record<string, unknown>, Extra>,
  id: string,
  { query, operationName, variables, extensions }: SubscribePayload,
) {
  const { request, response, client, gone } = extra
  const requestId = randomUUID()
  const message = new MessageRequest()
  const close = () => message.close()
  gone.addEventListener('abort', close)
  extra.used = true
  try {
    const refused = await chain.admitMessage(extra, message)
    if (refused) {
      extra.turn = refused.turn
      const { message, code } = refused.refusal.error
      return [new GraphQLError(message, { extensions: { code, requestId } })]
    }
    const authorization = request.headers.authorization ?? textOf(connectionParams.authorization)
    const controller = new AbortController()
    const admin = keys.adminOf({ authorization }, exchangeOf(request).key)
    const { documentId } = (extensions ?? {}) as { documentId?: unknown }
    const text = await graph.documentText({
      query: query || undefined,
      documentId,
      extensions,
      variables,
    })
    const operation = graph.operations.prepare(text ?? '', operationNameOf({ operationName }))
    if (operation.type !== OperationTypeNode.SUBSCRIPTION)
      throw new GraphQLError(
        'A WebSocket takes subscriptions only. Send queries and mutations over HTTP.',
        {
          extensions: { code: 'BAD_REQUEST' },
        },
      )
    const values = variables ?? {}
    await graph.admit(operation, values, {
      admin,
      charge: rateLimit.chargeOnce(request, response),
    })
    const revoked = exchangeOf(request).key?.revoked.signal
    const subscriber = { requestId, admin, client, signal: controller.signal, revoked }
    const results = await subscribe(graph, operation, values, subscriber)
    if (!(Symbol.asyncIterator in results)) return presented(results)
    return {
      schema: graph.schema,
      document: operation.document,
      operationName: operation.operationName ?? null,
      rootValue: sent(results, controller, (result) => extra.send(nextMessage(id, result))),
    }
  } catch (error) {
    return presented(resultOf(error))
  } finally {
    gone.removeEventListener('abort', close)
    message.close()
  }

  function presented(result: ExecutionResult): GraphQLError[] {
    const safe = graph.present(result, requestId).errors ?? []
    for (const { extensions } of safe) delete extensions.http
    return [...safe]
  }
}

// True if a client must change what it sends. It may try again after a refusal for its rate or an
// overload.
const isMistake = ({ extensions: { code } }: GraphQLError) =>
  code !== 'RATE_LIMITED' && !FAILURES.includes(String(code))

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function nextMessage(id: string, result: ExecutionResult & Partial<ReadyText>): string {
  const text = result.stringify?.(result) ?? exactJson(result)
  return `{"id":${JSON.stringify(id)},"type":"next","payload":${text}}`
}

interface ReadyText {
  stringify(result: ExecutionResult): string
}

// Sends each result, so that graphql-ws has only the end to send: it would parse and write texts.
// It can end the results while it waits.
function sent(
  results: AsyncIterableIterator<ExecutionResult>,
  controller: AbortController,
  send: (result: ExecutionResult) => Promise<void>,
) {
  const done = { done: true as const, value: undefined }
  return {
    async next() {
      for (let next = await results.next(); !next.done; next = await results.next())
        await send(next.value)
      return done
    },
    async return() {
      controller.abort()
      await results.return?.()
      return done
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
