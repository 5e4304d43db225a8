import type { FastifyInstance } from 'fastify'
import pTimeout from 'p-timeout'
import type { Deps } from '../deps.ts'
import type { Log } from '../log.ts'
import { tagOf } from './cache/answer.ts'
import type { Chain } from './chain.ts'
import { sendProblem } from './server/problem.ts'

const TIMEOUT_MS = 900
const UNCACHED = 'no-cache,no-store,must-revalidate'

/**
 * Serves `/health` (section 2.8 of the points document) and the probes for schedulers and load
 * balancers: `/livez`, which depends on nothing, and `/readyz`, which does not depend on the cache,
 * since losing it costs only speed.
 */
export function mountHealth(
  app: FastifyInstance,
  { store: { probe }, cache, log }: Deps,
  chain: Chain,
): void {
  const database = watch(log, 'database', () => probe.ping())
  const components = { database, cache: watch(log, 'cache', () => cache.ping()) }

  app.get('/health', async (_request, reply) => {
    const info: Record<string, { status: 'up' }> = {}
    const error: Record<string, { status: 'down'; message: string }> = {}
    const checks = Object.entries(components).map(async ([name, isUp]) => ({
      name,
      up: await isUp(),
    }))
    for (const { name, up } of await Promise.all(checks))
      if (up) info[name] = { status: 'up' }
      else error[name] = { status: 'down', message: `The ${name} cannot be reached.` }
    const failed = Object.keys(error).length > 0
    const body = JSON.stringify({
      status: failed ? 'error' : 'ok',
      info,
      error,
      details: { ...info, ...error },
    })
    if (!failed) reply.header('etag', tagOf(body))
    return reply
      .code(failed ? 503 : 200)
      .header('cache-control', UNCACHED)
      .type('application/json; charset=utf-8')
      .send(body)
  })

  app.get('/livez', (_request, reply) => ok(reply))

  app.get('/readyz', async (_request, reply) => {
    const unready = (fault: string) => sendProblem(reply.header('retry-after', '1'), 503, fault)
    if (chain.closing) return unready('The server is closing.')
    return (await database()) ? ok(reply) : unready('The database cannot be reached.')
  })
}

type Reply = Parameters<typeof sendProblem>[0]

function ok(reply: Reply) {
  const body = JSON.stringify({ status: 'ok' })
  return reply
    .header('etag', tagOf(body))
    .header('cache-control', UNCACHED)
    .type('application/json; charset=utf-8')
    .send(body)
}

// Returns a check of a component, which logs only when its state changes.
function watch(log: Log, component: string, check: () => Promise<void>): () => Promise<boolean> {
  let down = false
  return async () => {
    try {
      await pTimeout(check(), { milliseconds: TIMEOUT_MS })
      if (down) log.info({ component }, 'a component is up again')
      down = false
    } catch (error) {
      if (!down) log.warn({ err: error, component }, 'a component is down')
      down = true
    }
    return !down
  }
}
