import type { FastifyInstance } from 'fastify'
import pTimeout from 'p-timeout'
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Store } from '../db/connect/store.ts'
import { countRuns, newestDistribution } from '../domain/distribution/freshness.ts'
import type { Live } from '../graphql/live/live.ts'
import type { Log } from '../log.ts'

const TIMEOUT_MS = 700

interface MetricsOptions {
  metrics: Registry
  store: Store
  live: Live
  log: Log
  now(): Date
}

/**
 * Serves Prometheus metrics. Metrics of distributions are read from the store at each scrape, so they cover the runs of
 * all gateways and of the command line, also after a restart. They are left out while the store does not answer.
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
    help: 'Midnight UTC of the newest stored distribution date. Absent if no positions are stored.',
    registers,
  })
  const age = new Gauge({
    name: 'gateway_newest_distribution_age_seconds',
    help: 'Seconds since midnight UTC of the newest stored distribution date. Absent if no positions are stored.',
    registers,
  })
  const runs = new Counter({
    name: 'gateway_distribution_runs_total',
    help: 'Finished runs in the store. All gateways on the store report the same numbers.',
    labelNames: ['kind', 'status'],
    registers,
  })

  const readStore = async () => {
    try {
      return await pTimeout(Promise.all([newestDistribution(store.pool), countRuns(store.pool)]), {
        milliseconds: TIMEOUT_MS,
      })
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
