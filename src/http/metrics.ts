import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Store } from '../db/connect/store.ts'
import { countRuns, newestDistribution } from '../domain/distribution/freshness.ts'
import type { Log } from '../graphql/deps.ts'
import type { Live } from '../graphql/live/live.ts'
import { within } from './server/with-timeout.ts'

const PATIENCE_MS = 700

interface MetricsOptions {
  metrics: Registry
  store: Store
  live: Live
  log: Log
  now(): Date
}

/**
 * Serves the metrics of Prometheus. What they say of distributions is read from the store at each scrape, so that it
 * holds for the runs of all gateways and of the command line, and after a restart; while the store does not answer it is
 * left out.
 */
export function mountMetrics(app: FastifyInstance, { metrics, store, live, log, now }: MetricsOptions): void {
  const registers = [metrics]
  collectDefaultMetrics({ register: metrics })
  new Gauge({
    name: 'gateway_subscriptions',
    help: 'Open GraphQL subscriptions of this process.',
    registers,
    collect() {
      this.set(live.open)
    },
  })
  const timestamp = new Gauge({
    name: 'gateway_newest_distribution_timestamp_seconds',
    help: 'Midnight UTC of the newest stored distribution date; absent in a store without positions.',
    registers,
  })
  const age = new Gauge({
    name: 'gateway_newest_distribution_age_seconds',
    help: 'Seconds since midnight UTC of the newest stored distribution date; absent in a store without positions.',
    registers,
  })
  const runs = new Counter({
    name: 'gateway_distribution_runs_total',
    help: 'Runs that have ended, as the store records them: every gateway on it gives the same numbers.',
    labelNames: ['kind', 'status'],
    registers,
  })

  const readStore = async () => {
    try {
      return await within(PATIENCE_MS, Promise.all([newestDistribution(store.pool), countRuns(store.pool)]))
    } catch (error) {
      log.warn({ err: error }, 'the metrics of the store cannot be read')
      return [null, []] as const
    }
  }
  app.get('/metrics', async (_request, reply) => {
    const [newest, counts] = await readStore()
    timestamp.remove()
    age.remove()
    if (newest) {
      timestamp.set(newest.getTime() / 1000)
      age.set((now().getTime() - newest.getTime()) / 1000)
    }
    runs.reset()
    for (const { kind, status, count } of counts) runs.inc({ kind, status }, count)
    const text = await metrics.metrics()
    return reply.header('content-type', metrics.contentType).header('cache-control', 'no-store').send(text)
  })
}
