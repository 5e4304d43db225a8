import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { DATA_VERSION, type Exchange } from '../exchange.ts'
import { plainAnswer, VARY } from '../graphql/request-params.ts'
import { corsHeaders } from '../server/cors.ts'
import { isEncoded } from '../server/decode-bodies.ts'
import {
  type Encoding,
  type HttpAnswer,
  isCompressible,
  isFresh,
  tagOf,
  timedBody,
} from './answer.ts'
import type { EdgeCache } from './edge-cache.ts'

interface AnsweredRequest {
  id: string
  method?: string | undefined
  headers: IncomingHttpHeaders
}

interface SendOptions {
  type?: string
  /** Request headers that the answer depends on, besides Accept-Encoding. */
  vary?: string
  /** Of a GET. By default every use is revalidated. */
  cacheControl?: string | undefined
  /** More headers: names and values by turns. */
  headers?: string[]
}

/** Sends a ready answer directly, without Fastify's hooks, or a 304 if the client's tag matches. */
export function sendAnswer(
  { id, method, headers }: AnsweredRequest,
  response: ServerResponse,
  answer: HttpAnswer,
  edge: EdgeCache,
  {
    type = answer.type,
    vary = 'Origin',
    cacheControl = 'no-cache',
    headers: more = [],
  }: SendOptions = {},
): void {
  const encoding = isCompressible(answer) ? accepted(headers['accept-encoding']) : undefined
  const head = ['request-id', id, 'vary', `${vary}, Accept-Encoding`, ...corsHeaders, ...more]
  if (answer.versions) head.push(DATA_VERSION, String(answer.versions.to))
  if (method === 'POST') head.push('cache-control', 'no-store')
  else {
    head.push(
      'etag',
      encoding ? `${answer.etag.slice(0, -1)}-${encoding}"` : answer.etag,
      'cache-control',
      cacheControl,
    )
    if (answer.status < 400 && isFresh(headers['if-none-match'], answer.etag)) {
      response.writeHead(304, head).end()
      return
    }
  }
  if (answer.link !== undefined) head.push('link', answer.link)
  const send = (body: Buffer) => {
    head.push('content-type', type, 'content-length', String(body.length))
    response.writeHead(answer.status, head).end(method === 'HEAD' ? undefined : body)
  }
  if (!encoding) send(timedBody(answer, edge.now))
  else {
    head.push('content-encoding', encoding)
    const cached = answer.compressed[encoding]
    if (cached) send(cached)
    else edge.compressed(answer, encoding).then(send, (error) => response.destroy(error))
  }
}

function accepted(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header) ? 'gzip' : undefined
}

/** Answers a GET from the edge cache. @returns whether it was cached */
export function sendCached(edge: EdgeCache, exchange: Exchange): boolean {
  const { method, url = '', headers } = exchange.request
  const isCacheable = (method === 'GET' || method === 'HEAD') && !exchange.bypassesCache
  const answer = isCacheable ? edge.find(url, exchange.minVersion) : undefined
  if (!answer) return false
  exchange.cache = 'hit'
  exchange.route = answer.name
  sendAnswer(
    { id: exchange.id, method, headers },
    exchange.response as ServerResponse,
    answer,
    edge,
  )
  return true
}

/**
 * Answers a GraphQL query from the edge cache.
 * @returns whether it was cached. If not, the body can still be read
 */
export function sendCachedQuery(edge: EdgeCache, exchange: Exchange): boolean {
  const { request } = exchange
  const { method, headers, readableLength } = request
  const isReady =
    method === 'POST'
      ? Number(headers['content-length']) === readableLength
      : !headers.accept?.includes('text/html')
  if (!isReady || exchange.bypassesCache || isEncoded(headers['content-encoding'])) return false
  const body: Buffer | null = request.read()
  const { key, type } = plainAnswer(request, body) ?? {}
  const answer = key === undefined ? undefined : edge.find(key, exchange.minVersion)
  if (!answer) {
    if (body) request.unshift(body)
    return false
  }
  request.resume()
  exchange.cache = 'hit'
  exchange.route = '/graphql'
  exchange.startOperation(answer.name)
  const options = { type, vary: VARY }
  sendAnswer(
    { id: exchange.id, method, headers },
    exchange.response as ServerResponse,
    answer,
    edge,
    options,
  )
  return true
}

/**
 * Adds an ETag to every answer to a GET that has none and may be stored, and sends a 304 if the
 * client's tag matches.
 */
export function addEtags(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    if (reply.statusCode !== 200 && reply.statusCode !== 201) return payload
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (/no-store/.test(String(reply.getHeader('cache-control')))) return payload
    const tag = String(reply.getHeader('etag') ?? tagOf(payload))
    reply.header('etag', tag)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
    if (!isFresh(request.headers['if-none-match'], tag)) return payload
    reply.code(304).removeHeader('content-type')
    return ''
  })
}
