import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Browsers and fetch open connections before they need them. Node does not take one on which nothing was asked yet for
 * idle: a server that closes would wait for it.
 */
export function closeUnused(app: FastifyInstance): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => unused.delete(socket))
  app.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
  })
}
