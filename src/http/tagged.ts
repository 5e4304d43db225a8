import etag from 'etag'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'

/** Sends JSON text with its ETag; a client that has it already gets a 304. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  body: string,
  tag = etag(body),
) {
  reply.header('etag', tag).header('cache-control', 'no-cache')
  if (holds(request, tag)) return reply.code(304).send()
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Whether the client's tag still holds. `cache-control: no-cache`, which fetch adds, is for caches, not for the origin. */
export function holds({ headers }: FastifyRequest, tag: string): boolean {
  return fresh({ 'if-none-match': headers['if-none-match'] }, { etag: tag })
}
