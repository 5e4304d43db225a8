import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { type Answer, type EdgeCache, type Encoding, isCompressible } from './edge-cache.ts'

/** Sends an answer's bytes, past the hooks that make bytes of answers; or a 304 to a client that has it. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  edge: EdgeCache,
  type = answer.type,
): FastifyReply {
  const { headers, method } = request
  const head = reply.getHeaders() as Record<string, string>
  const encoding = isCompressible(answer) ? accepted(headers['accept-encoding']) : undefined
  reply.hijack()
  head.vary = `${head.vary}, Accept-Encoding`
  if (method === 'POST') head['cache-control'] = 'no-store'
  else {
    head.etag = encoding ? `${answer.etag.slice(0, -1)}-${encoding}"` : answer.etag
    head['cache-control'] = 'no-cache'
    if (isFresh(headers['if-none-match'], answer.etag)) {
      reply.raw.writeHead(304, head)
      reply.raw.end()
      return reply
    }
  }
  const send = (body: Buffer) => {
    head['content-type'] = type
    head['content-length'] = String(body.length)
    reply.raw.writeHead(answer.status, head)
    reply.raw.end(method === 'HEAD' ? undefined : body)
  }
  if (!encoding) send(answer.body)
  else {
    head['content-encoding'] = encoding
    const known = answer.compressed[encoding]
    if (known) send(known)
    else edge.compressed(answer, encoding).then(send, (error) => reply.raw.destroy(error))
  }
  return reply
}

/** Whether the client's tag still holds, in whichever encoding the client got the answer. */
function isFresh(given: string | undefined, etag: string): boolean {
  return given !== undefined && fresh({ 'if-none-match': given.replace(/-(br|gzip)"/g, '"') }, { etag })
}

/** The encoding that the client likes best of those that there are. */
function accepted(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header) ? 'gzip' : undefined
}
