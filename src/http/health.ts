import type { FastifyInstance } from 'fastify'
import type { Cache } from '../cache/cache.ts'
import type { Store } from '../db/connect/store.ts'
import { newestDistribution } from '../domain/distribution/freshness.ts'
import { within } from './server/with-timeout.ts'

const PATIENCE_MS = 2000

interface HealthOptions {
  store: Store
  cache: Cache
  now(): Date
  /** Whether distributions are computed daily: then it tells how old the newest one is. */
  daily: boolean
}

interface Up {
  status: 'up'
  newestDate?: string | null
  ageSeconds?: number | null
}

/** Serves the health result of section 2.8 of the points document. */
export function mountHealth(app: FastifyInstance, { store, cache, now, daily }: HealthOptions): void {
  const checks: Record<string, () => Promise<unknown>> = {
    database: () => store.pool.query('SELECT 1'),
    cache: () => cache.ping(),
  }
  const distribution = async (): Promise<Up> => {
    const newest = await newestDistribution(store.pool)
    return {
      status: 'up',
      newestDate: newest?.toISOString().slice(0, 10) ?? null,
      ageSeconds: newest && Math.floor((now().getTime() - newest.getTime()) / 1000),
    }
  }
  app.get('/health', async (request, reply) => {
    const info: Record<string, Up> = {}
    const error: Record<string, { status: 'down'; message: string }> = {}
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await within(PATIENCE_MS, check())
          info[name] = { status: 'up' }
        } catch (cause) {
          request.log.warn({ err: cause, component: name, requestId: request.id }, 'a component is down')
          error[name] = { status: 'down', message: `The ${name} cannot be reached.` }
        }
      }),
    )
    // How old the points are is for people to judge; a gateway that serves old ones is well.
    const told = daily && info.database && (await within(PATIENCE_MS, distribution()).catch(() => undefined))
    if (told) info.distribution = told
    const failed = Object.keys(error).length > 0
    return reply
      .code(failed ? 503 : 200)
      .header('cache-control', 'no-cache,no-store,must-revalidate')
      .send({ status: failed ? 'error' : 'ok', info, error, details: { ...info, ...error } })
  })
}
