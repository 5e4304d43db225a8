import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import fresh from 'fresh'
import { corsHeaders } from '../server/cors.ts'
import { type Answer, type EdgeCache, type Encoding, isCompressible } from './edge-cache.ts'

interface Asked {
  /** The id of the request. */
  id: string
  method?: string | undefined
  headers: IncomingHttpHeaders
}

interface Sent {
  /** The media type, where it is not the answer's own. */
  type?: string
  /** The request's headers that the answer depends on, beside those that all do. */
  vary?: string
}

/** Sends an answer's bytes, past the hooks that make bytes of answers; or a 304 to a client that has it. */
export function sendAnswer(
  { id, method, headers }: Asked,
  response: ServerResponse,
  answer: Answer,
  edge: EdgeCache,
  { type = answer.type, vary = 'Origin' }: Sent = {},
): void {
  const encoding = isCompressible(answer) ? accepted(headers['accept-encoding']) : undefined
  const head = ['request-id', id, 'vary', `${vary}, Accept-Encoding`, ...corsHeaders]
  if (method === 'POST') head.push('cache-control', 'no-store')
  else {
    head.push('etag', encoding ? `${answer.etag.slice(0, -1)}-${encoding}"` : answer.etag, 'cache-control', 'no-cache')
    if (isFresh(headers['if-none-match'], answer.etag)) {
      response.writeHead(304, head).end()
      return
    }
  }
  if (answer.link !== undefined) head.push('link', answer.link)
  const send = (body: Buffer) => {
    head.push('content-type', type, 'content-length', String(body.length))
    response.writeHead(answer.status, head).end(method === 'HEAD' ? undefined : body)
  }
  if (!encoding) send(edge.told(answer))
  else {
    head.push('content-encoding', encoding)
    const known = answer.compressed[encoding]
    if (known) send(known)
    else edge.compressed(answer, encoding).then(send, (error) => response.destroy(error))
  }
}

/** Whether the client's tag still holds, in whichever encoding the client got the answer. */
function isFresh(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false
  return given === etag || fresh({ 'if-none-match': given.replace(/-(br|gzip)"/g, '"') }, { etag })
}

/** The encoding that the client likes best of those that there are. */
function accepted(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header) ? 'gzip' : undefined
}
