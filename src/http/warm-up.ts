import type { FastifyInstance } from 'fastify'

const REQUESTS = ['/points/leaderboard', '/graphql?query={leaderboard(first:1){nodes{rank}}}']

/**
 * Sends the first request to both APIs, so that clients do not wait for connections and
 * compilation. Errors are ignored: they will recur, and be reported, when a client sends the
 * request.
 */
export async function warmUp(app: FastifyInstance): Promise<void> {
  for (const url of REQUESTS)
    await app.inject({ url, headers: { 'cache-control': 'no-cache' } }).catch(() => {})
}
