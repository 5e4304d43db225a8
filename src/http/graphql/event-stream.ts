import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Connections } from '../server/connections.ts'

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 60_000
const CLOSING_MS = 300

/**
 * Sends event streams. When the server closes they end at once without a `complete` event, so clients reconnect to the
 * next server.
 */
export function eventStreams(app: FastifyInstance, connections: Connections) {
  const open = new Map<FastifyReply, Readable>()
  let closing = false
  const end = async (reply: FastifyReply, stream: Readable) => {
    const { raw } = reply
    stream.unpipe(raw)
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(() => raw.destroy(), CLOSING_MS)
      raw.once('close', () => {
        clearTimeout(deadline)
        resolve()
      })
      raw.end(() => raw.destroy())
    })
  }
  app.addHook('preClose', async () => {
    closing = true
    await Promise.all([...open].map(([reply, stream]) => end(reply, stream)))
  })
  return {
    send(reply: FastifyReply, body: Readable): FastifyReply {
      const { raw } = reply
      // A body that is destroyed before it is read fails. Without a listener, that would end the process.
      body.on('error', (error) => {
        if (!raw.destroyed) reply.log.error({ err: error, requestId: reply.request.id }, 'an event stream failed')
      })
      if (raw.destroyed) {
        body.destroy()
        return reply.hijack()
      }
      // The chain, the stream and Fastify each wait for its end: in an overload, more than ten listeners.
      raw.setMaxListeners(20)
      const stream = Readable.from(body)
      open.set(reply, stream)
      connections.stream(raw.socket as Socket)
      raw.once('close', () => open.delete(reply))
      raw.setTimeout(STALLED_MS, () => raw.destroy())
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-accel-buffering', 'no')
        .send(stream)
      if (closing) void end(reply, stream)
      return reply
    },
  }
}
