import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult } from 'graphql'
import type { Caller } from '../../db/connect/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Graph, OperationCall } from '../../graphql/execution/graph.ts'
import { answerText, resultOf } from '../../graphql/execution/outcome.ts'
import type { HttpAnswer } from '../cache/answer.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import { sendAnswer } from '../cache/send-answer.ts'
import type { Edge } from '../edge.ts'
import { DATA_VERSION, type Exchange, exchangeOf } from '../exchange.ts'
import { graphiqlPage, mountGraphiQLAssets } from './graphiql.ts'
import { type PlainRequest, plainRequest, servedTypes, VARY, wantsPage } from './request-params.ts'
import type { ServedGraph } from './served-graph.ts'
import { mountSockets } from './sockets.ts'
import { createGraphQLServer, eventStreams } from './yoga.ts'

/**
 * Serves GraphQL over HTTP at /graphql, subscriptions over WebSockets too, and GraphiQL to
 * browsers.
 */
export function mountGraphQL(
  app: FastifyInstance,
  { config }: Deps,
  served: ServedGraph,
  edge: Edge,
): void {
  const { graph } = served
  const { cache, keys, rateLimit, clientOf, connections, observer } = edge
  const server = createGraphQLServer(graph)
  const page = graphiqlPage(graph, cache, config)
  mountGraphiQLAssets(app, cache)
  mountSockets(app, served, edge, config.KEEP_ALIVE_TIMEOUT_MS)
  const streams = eventStreams(app, connections)
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    handler(request, reply) {
      if (wantsPage(request)) return page.send(request, reply)
      const caller = exchangeOf(request.raw, reply.raw)
      const charge = rateLimit.chargeOnce(request.raw, reply.raw)
      const call = { admin: keys.adminOf(request.headers, caller.key), charge, caller }
      const plain = plainRequest(request)
      const answered = plain && answerPlain(graph, cache, plain, call)
      if (!answered) return answer(request, reply, call)
      return answered.then(
        (answer) => {
          sendAnswer(request, reply.hijack().raw, answer, cache, { type: plain.type, vary: VARY })
        },
        (error) =>
          answer(request, reply, call, error instanceof Failed ? error.result : resultOf(error)),
      )
    },
  })

  // Answers a request that is more than a plain query, or whose query has failed.
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { admin, charge, caller }: PlainCall,
    failed?: ExecutionResult,
  ): Promise<FastifyReply> {
    const accept = servedTypes(request.headers.accept)
    if (accept === '') return refuseType(406, request, reply)
    reply.header('vary', VARY)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    headers.set('accept', accept)
    const body =
      request.body instanceof Uint8Array && request.method === 'POST'
        ? new Uint8Array(request.body)
        : undefined
    const response = await server.fetch(
      `http://gateway/graphql${new URL(request.url, 'http://gateway').search}`,
      {
        method: request.method === 'HEAD' ? 'GET' : request.method,
        headers,
        ...(body ? { body } : {}),
      },
      {
        requestId: request.id,
        caller,
        admin,
        client: clientOf(request.raw),
        charge,
        signal: endOf(reply),
        revoked: caller.key?.revoked.signal,
        failed,
      },
    )
    // An admin may have changed data: the next read must see it without waiting for the
    // notification.
    if (caller.admin !== undefined) {
      cache.clear()
      caller.dataVersion = await graph.deps.store.replicas?.changed()
    }
    if (caller.dataVersion !== undefined) reply.header(DATA_VERSION, caller.dataVersion)
    // Yoga sends no text with these: a subscription whose client accepts no event stream, a body
    // that is not JSON by its header.
    if (response.status === 406 || response.status === 415)
      return refuseType(response.status, request, reply)
    reply.code(response.status)
    if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter) reply.header('retry-after', retryAfter)
      observer.streams(caller)
      return streams.send(reply, response.body as unknown as Readable)
    }
    if (request.method === 'POST') reply.header('cache-control', 'no-store')
    for (const [name, value] of response.headers)
      if (name !== 'content-length') reply.header(name, value)
    return reply.send(await response.text())
  }
}

class Failed extends Error {
  readonly result: ExecutionResult

  constructor(result: ExecutionResult) {
    super('the query has failed')
    this.result = result
  }
}

type PlainCall = OperationCall & { caller: Exchange }

// Undefined if the GraphQL server must handle the request. Rejects with why the query failed.
function answerPlain(
  graph: Graph,
  cache: EdgeCache,
  { key, read }: PlainRequest,
  call: PlainCall,
): Promise<HttpAnswer> | undefined {
  const { admin, caller } = call
  const cached =
    key === undefined || caller.bypassesCache ? undefined : cache.find(key, caller.minVersion)
  if (cached) {
    caller.cache = 'hit'
    caller.startOperation(cached.name)
    return Promise.resolve(cached)
  }
  const params = read()
  const operation = params && graph.findQuery(params)
  if (!operation) return undefined
  const { variables = {} } = params
  const compute = (caller: Caller) =>
    graph.run({ operation, variables, admin }, caller).then((outcome) => {
      if (outcome.failed) throw new Failed(outcome.failed)
      return { name: operation.name, status: 200, json: answerText(operation, outcome) }
    })
  const answer = () => cache.answer(operation.depends === 'data' ? key : undefined, compute, caller)
  const refused = (error: unknown) => Promise.reject(new Failed({ errors: resultOf(error).errors }))
  let charged: Promise<void> | undefined
  try {
    charged = graph.admit(operation, variables, call)
  } catch (error) {
    return refused(error)
  }
  return charged ? charged.then(answer, refused) : answer()
}

const TYPE_ERRORS = {
  406:
    'No answer has a media type that this request accepts. Accept application/json or ' +
    'application/graphql-response+json; for a subscription, text/event-stream.',
  415:
    'The body of this request has a media type that is not supported, or none. Send the header ' +
    'content-type: application/json.',
}

function refuseType(status: 406 | 415, { id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = TYPE_ERRORS[status]
  return reply
    .code(status)
    .header('vary', VARY)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId: id } }] }),
    )
}

function endOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}
