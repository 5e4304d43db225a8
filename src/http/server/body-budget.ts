import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The bytes that the bodies of all requests under way may take together. */
const MAX_BYTES = 128 * 1024 * 1024
/** Above this, no more bodies are accepted: the rest is for those under way. */
const FULL_BYTES = MAX_BYTES / 2

type Refuse = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Bounds the memory of request bodies: thousands of clients may each send most of a body and then wait. A body that
 * would exceed the bound is cut off.
 */
export function boundBodies(app: FastifyInstance, refuse: Refuse): void {
  let total = 0
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
      return done(null, payload)
    if (total >= FULL_BYTES) return refuse(request.raw, reply.hijack().raw)
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      total += chunk.length
      if (total > MAX_BYTES) request.raw.destroy()
    }
    payload.on('data', count)
    reply.raw.once('close', () => {
      payload.off('data', count)
      total -= bytes
    })
    done(null, payload)
  })
}
