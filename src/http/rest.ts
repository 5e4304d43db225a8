import etag from 'etag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cache } from '../cache/cache.ts'
import { dataVersion, plainReader } from '../db/store.ts'
import { requireAdmin } from '../graphql/context.ts'
import { createContext, executor, type Graph } from '../graphql/execute.ts'
import { readFor } from '../graphql/read.ts'
import type { Answer, Endpoint } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import { type AdminTokens, adminOf } from './admin.ts'
import { readInput } from './input.ts'

const CACHED_URL_LENGTH = 2000

interface RestOptions {
  graph: Graph
  cache: Cache
  adminTokens: AdminTokens
}

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
    else app.route({ method, url, handler: (request, reply) => read(options, endpoint, request, reply) })
  }
}

/** Answers from the cache, whose keys hold the data version, or from one snapshot of the store. */
async function read({ graph, cache }: RestOptions, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) {
  const input = readInput(endpoint, request)
  const { store } = graph.deps
  const cacheable = request.url.length <= CACHED_URL_LENGTH
  // Asked for before anything is read: an answer may be newer than its key says, never older.
  const key = cacheable ? `${await dataVersion(store)} ${request.url}` : undefined
  const kept = key === undefined ? undefined : await cache.get(key)
  if (kept !== undefined) return send(reply, endpoint.status, kept)

  const now = graph.deps.now()
  const answer = await readFor(store, endpoint, (reader): Promise<Answer<unknown>> => {
    const execute = executor(graph, createContext(graph, reader, 'no'))
    return endpoint.answer({ ...input, execute, now } as never)
  })
  const body = JSON.stringify(answer.body)
  if (answer.timeless !== undefined) reply.header('etag', etag(JSON.stringify(answer.timeless), { weak: true }))
  else if (key !== undefined) await cache.set(key, body)
  return send(reply, endpoint.status, body)
}

async function change(
  { graph, adminTokens }: RestOptions,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const input = readInput(endpoint, request)
  const execute = executor(
    graph,
    createContext(graph, plainReader(graph.deps.store), adminOf(request.headers, adminTokens)),
  )
  const { body } = await endpoint.answer({ ...input, execute, now: graph.deps.now() } as never)
  return reply.code(endpoint.status).header('cache-control', 'no-store').send(body)
}

function send(reply: FastifyReply, status: number, json: string) {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(json)
}
