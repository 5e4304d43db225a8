import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import fresh from 'fresh'
import { DATA_VERSION } from '../observe/data-version.ts'
import { corsHeaders } from '../server/cors.ts'
import { type Answer, type EdgeCache, type Encoding, isCompressible } from './edge-cache.ts'

interface AnsweredRequest {
  /** The id of the request. */
  id: string
  method?: string | undefined
  headers: IncomingHttpHeaders
}

interface SendOptions {
  /** Overrides the media type of the answer. */
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
  answer: Answer,
  edge: EdgeCache,
  { type = answer.type, vary = 'Origin', cacheControl = 'no-cache', headers: more = [] }: SendOptions = {},
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
  if (!encoding) send(edge.timedBody(answer))
  else {
    head.push('content-encoding', encoding)
    const cached = answer.compressed[encoding]
    if (cached) send(cached)
    else edge.compressed(answer, encoding).then(send, (error) => response.destroy(error))
  }
}

/** Whether the client's tag matches, in any encoding. */
function isFresh(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  return given === etag || fresh({ 'if-none-match': given.replace(/-(br|gzip)"/g, '"') }, { etag })
}

/** The best supported encoding that the client accepts. */
function accepted(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header) ? 'gzip' : undefined
}
