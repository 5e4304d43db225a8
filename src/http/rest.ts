import etag from 'etag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from '../db/connect/reader.ts'
import { plainReader, readFor } from '../db/connect/reader.ts'
import type { Caller } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import { requireAdmin } from '../graphql/context.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import { executor } from '../graphql/execution/run.ts'
import { idOfDocument } from '../graphql/policy/documents.ts'
import { bodyJson } from '../rest/body.ts'
import type { Answer, Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { operationText } from '../rest/operation-text.ts'
import { bypassesCache, edgeKey } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'
import type { Edge } from './edge.ts'
import { DATA_VERSION, exchangeOf } from './exchange.ts'
import { adminOf } from './server/admin.ts'
import { readInput } from './server/input.ts'

/** The rate-limit cost of an uncached answer, in points: that of a page of rows in the graph. */
const READ_COST = 100

/** Serves the documented endpoints. */
export function mountRest(app: FastifyInstance, graph: Graph, edge: Edge): void {
  for (const [method, path, endpoint] of endpoints) {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    if (endpoint.admin)
      app.route({
        method,
        url,
        onRequest: async (request) => requireAdmin(adminOf(request.headers, edge.adminTokens)),
        handler: (request, reply) => change(graph, edge, endpoint, request, reply),
      })
    else {
      const link = alternateLink(endpoint)
      app.route({
        method,
        url,
        handler: (request, reply) => read(graph, edge, { path, link, endpoint }, request, reply),
      })
    }
  }
}

/** Answers from cache if possible, else from one snapshot of the store. */
async function read(
  graph: Graph,
  { cache, rateLimit }: Edge,
  { path, link, endpoint }: { path: string; link: ReturnType<typeof alternateLink>; endpoint: Endpoint },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const input = readInput(endpoint, request)
  const rejection = rateLimit && (await rateLimit.charge(request.raw, reply.raw, READ_COST))
  if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
  const compute = async (caller: Caller) => {
    const parsed = { ...input, now: graph.deps.now() }
    const variables = endpoint.variables(parsed)
    const answer = (reader: Reader): Promise<Answer<unknown>> =>
      endpoint.answer({ ...parsed, variables, execute: executor(graph, reader, 'no') })
    const { body, timeless, timed } = await readFor(graph.deps.store, endpoint, answer, caller)
    const clocked = timeless === undefined ? {} : { etag: etag(bodyJson(timeless), { weak: true }) }
    return { name: path, status: endpoint.status, json: bodyJson(body), timed, link: link(variables), ...clocked }
  }
  const answer = await cache.answer(
    edgeKey(request),
    compute,
    exchangeOf(request.raw, reply.raw),
    bypassesCache(request.headers),
  )
  sendAnswer(request, reply.hijack().raw, answer, cache)
}

async function change(
  graph: Graph,
  { cache, adminTokens }: Edge,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const input = readInput(endpoint, request)
  const admin = adminOf(request.headers, adminTokens)
  exchangeOf(request.raw).admin = requireAdmin(admin)
  const execute = executor(graph, plainReader(graph.deps.store), admin)
  const parsed = { ...input, now: graph.deps.now() }
  const variables = endpoint.variables(parsed)
  const { body } = await endpoint.answer({ ...parsed, variables, execute })
  cache.clear()
  const version = await graph.deps.store.replicas?.changed()
  if (version !== undefined) reply.header(DATA_VERSION, version)
  return reply.code(endpoint.status).header('cache-control', 'no-store').send(body)
}

/** Proxies commonly limit all response headers to 4 KiB. */
const MAX_LINK = 3000

/**
 * Links the answers of an endpoint to the same data over GraphQL.
 * @returns a function from variables to the value of the `link` header, or to undefined if that would be too long
 */
function alternateLink({ operation }: Endpoint): (variables: object) => string | undefined {
  const documentId = idOfDocument(operationText(operation))
  return (variables) => {
    const sent = encodeURIComponent(JSON.stringify(variables))
    const link = `</graphql?documentId=${documentId}&variables=${sent}>; rel="alternate"`
    return link.length > MAX_LINK ? undefined : link
  }
}
