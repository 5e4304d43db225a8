import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Accepts no more connections, and closes each one after its next answer, so that no request is
 * refused. Resolves when none is left, or after `patienceMs`.
 */
export async function drain(server: Server, patienceMs: number): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  // That of HTTP servers would also close idle connections, on which a request may be under way.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  await Promise.race([closed, sleep(patienceMs, undefined, { ref: false })])
}
