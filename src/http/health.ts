import type { FastifyInstance } from 'fastify'
import type { Cache } from '../cache/cache.ts'
import type { Store } from '../db/store.ts'

const PATIENCE_MS = 2000

/** Serves the health result of section 2.8 of the points document. */
export function mountHealth(app: FastifyInstance, { store, cache }: { store: Store; cache: Cache }): void {
  app.get('/health', async (request, reply) => {
    const checks = { database: () => store.pool.query('SELECT 1'), cache: () => cache.ping() }
    const info: Record<string, { status: 'up' }> = {}
    const error: Record<string, { status: 'down'; message: string }> = {}
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await Promise.race([check(), late()])
          info[name] = { status: 'up' }
        } catch (cause) {
          request.log.warn({ err: cause, component: name }, 'a component is down')
          error[name] = { status: 'down', message: `The ${name} cannot be reached.` }
        }
      }),
    )
    const failed = Object.keys(error).length > 0
    return reply
      .code(failed ? 503 : 200)
      .header('cache-control', 'no-cache,no-store,must-revalidate')
      .send({ status: failed ? 'error' : 'ok', info, error, details: { ...info, ...error } })
  })
}

const late = () =>
  new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS).unref(),
  )
