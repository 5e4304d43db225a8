import etag from 'etag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from '../db/connect/reader.ts'
import type { Caller } from '../db/connect/scope.ts'
import { plainReader } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import { requireAdmin } from '../graphql/context.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import { executor } from '../graphql/execution/run.ts'
import { readFor } from '../graphql/execution/snapshot.ts'
import { bodyJson } from '../rest/body.ts'
import type { Answer, Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { alternateLink } from './alternate-link.ts'
import { bypassesCache, type EdgeCache, edgeKey } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'
import { exchangeOf } from './exchange.ts'
import { DATA_VERSION } from './observe/data-version.ts'
import { type AdminTokens, adminOf } from './server/admin.ts'
import { readInput } from './server/input.ts'
import type { RateLimit } from './server/rate-limit.ts'

interface RestOptions {
  graph: Graph
  edge: EdgeCache
  adminTokens: AdminTokens
  rateLimit: RateLimit | undefined
}

/** The rate-limit cost of an uncached answer, in points: that of a page of rows in the graph. */
const READ_COST = 100

/** Serves the documented endpoints. */
export function mountRest(app: FastifyInstance, options: RestOptions): void {
  for (const [method, path, endpoint] of endpoints) {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    if (endpoint.admin)
      app.route({
        method,
        url,
        onRequest: async (request) => requireAdmin(adminOf(request.headers, options.adminTokens)),
        handler: (request, reply) => change(options, endpoint, request, reply),
      })
    else {
      const link = alternateLink(endpoint)
      app.route({
        method,
        url,
        handler: (request, reply) => read({ ...options, path, link }, endpoint, request, reply),
      })
    }
  }
}

/** Answers from cache if possible, else from one snapshot of the store. */
async function read(
  { graph, edge, path, link, rateLimit }: RestOptions & { path: string; link: ReturnType<typeof alternateLink> },
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const input = readInput(endpoint, request)
  const rejection = await rateLimit?.charge(request.raw, reply.raw, READ_COST)
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
  const answer = await edge.answer(
    edgeKey(request),
    compute,
    exchangeOf(request.raw, reply.raw),
    bypassesCache(request.headers),
  )
  sendAnswer(request, reply.hijack().raw, answer, edge)
}

async function change(
  { graph, edge, adminTokens }: RestOptions,
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
  edge.clear()
  const version = await graph.deps.store.replicas?.changed()
  if (version !== undefined) reply.header(DATA_VERSION, version)
  return reply.code(endpoint.status).header('cache-control', 'no-store').send(body)
}
