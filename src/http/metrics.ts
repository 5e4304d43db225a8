import Fastify, { type FastifyInstance } from 'fastify'
import pTimeout, { TimeoutError } from 'p-timeout'
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { ConfigError } from '../config.ts'
import { storeFault } from '../db/faults.ts'
import { freeBytes } from '../db/server/free-bytes.ts'
import type { Deps } from '../deps.ts'
import { readFreshness } from '../domain/distribution/freshness.ts'
import { NEWEST_SNAPSHOTS, type NewestOfChain } from '../domain/status/newest-snapshots.ts'
import type { Live } from '../graphql/live/live.ts'
import type { Shares } from '../memory.ts'
import type { Edge } from './edge.ts'
import type { ServedGraph } from './graphql/served-graph.ts'

const TIMEOUT_MS = 700

interface MetricsOptions extends Pick<Deps, 'metrics' | 'store' | 'log' | 'now'> {
  edge: Edge['cache']
  live: Live
  memory(): Shares
}

/**
 * Serves Prometheus metrics. Metrics of distributions are read from the store at each scrape, so
 * they cover the runs of all gateways and of the command line, also after a restart. They are left
 * out while the store does not answer.
 */
export function mountMetrics(
  app: FastifyInstance,
  deps: Deps,
  { cache: edge, keys }: Edge,
  { graph, live }: ServedGraph,
): void {
  const { config, metrics, store } = deps
  const redis = config.REDIS_URL === undefined ? undefined : deps.cache
  // The directory of the embedded Postgres.
  const dataDir = config.DATABASE_URL === undefined ? config.DATA_DIR : undefined
  const memory = () => ({
    answers: edge.size.bytes,
    documents: graph.operations.bytes,
    live: live.bytes,
    statements: store.statements.bytes,
    persisted: graph.documents.bytes,
  })
  const options = { ...deps, edge, live, memory }
  collectDefaultMetrics({ register: metrics })
  const gauge = gaugesIn(metrics)
  const measureProcess = processMetrics(options)
  const setStore = storeMetrics(options)
  const up = gauge('gateway_redis_up', '1 while Redis answers, else 0. Absent without REDIS_URL.')
  const free = gauge(
    'gateway_data_dir_free_bytes',
    'Free bytes of the disk with DATA_DIR, where the embedded Postgres keeps its files. ' +
      'Absent with DATABASE_URL.',
  )
  const measure = async () => {
    measureProcess()
    await Promise.all([
      setStore(),
      dataDir &&
        freeBytes(dataDir).then(
          (bytes) => free.set(bytes),
          () => free.remove(),
        ),
      redis && isUp(redis.ping()).then((is) => up.set(Number(is))),
    ])
  }
  const scraped =
    config.METRICS_PORT === undefined
      ? app
      : openMetricsServer(app, config.HOST, config.METRICS_PORT)
  scraped.get('/metrics', { onRequest: keys.guardMetrics }, async (_request, reply) => {
    await measure()
    return reply
      .header('content-type', metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.metrics())
  })
}

function openMetricsServer(app: FastifyInstance, host: string, port: number): FastifyInstance {
  const server = Fastify({ forceCloseConnections: true })
  server.setErrorHandler(app.errorHandler)
  app.addHook('onReady', async () => {
    await server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      const message = `${port} of ${host} is in use: set another one.`
      throw new ConfigError(`METRICS_PORT ${message}`, [{ name: 'METRICS_PORT', message }])
    })
  })
  app.addHook('onClose', () => server.close())
  return server
}

const isUp = (check: Promise<unknown>) =>
  pTimeout(check, { milliseconds: TIMEOUT_MS }).then(
    () => true,
    () => false,
  )

// Returns a function that adds a gauge, which is absent until it is set.
const gaugesIn =
  (metrics: Registry) =>
  <Label extends string>(name: string, help: string, labelNames: Label[] = []) => {
    const made = new Gauge({ name, help, labelNames, registers: [metrics] })
    if (labelNames.length === 0) made.remove()
    return made
  }

function processMetrics({ metrics, store, edge, live, memory }: MetricsOptions): () => void {
  const { pool, reads } = store
  const gauge = gaugesIn(metrics)
  gauge(
    'gateway_build_info',
    'Always 1. The labels are the versions of the gateway and of Node.js.',
    ['version', 'node'],
  ).set({ version: manifest.version, node: process.version }, 1)
  const subscriptions = gauge(
    'gateway_subscriptions',
    'Open GraphQL subscriptions of this process.',
  )
  const answers = gauge('gateway_cache_answers', 'Answers that are cached in memory.')
  const bytes = gauge('gateway_cache_bytes', 'Bytes of the answers that are cached in memory.')
  const parts = gauge(
    'gateway_memory_bytes',
    'Bytes in memory by what they are for: answers, documents (with plans and ' +
      'statements), live (answers of live queries), statements (names of prepared ones), ' +
      'persisted (documents). Each has a share of MEMORY_MB.',
    ['part'],
  )
  const listening = gauge(
    'gateway_notifications_up',
    '1 while notifications of changes arrive, else 0. Without them, no answer comes from memory.',
  )
  const connections = gauge(
    'gateway_database_connections',
    'Connections of the pool by state: busy or idle. DATABASE_POOL_SIZE has a few more, ' +
      'which are shared.',
    ['state'],
  )
  const waiting = gauge('gateway_database_waiting', 'Reads and writes that wait for a connection.')
  const measureReplicas = replicaMetrics(metrics, store)
  return () => {
    const { answers: count, bytes: size } = edge.size
    subscriptions.set(live.open)
    answers.set(count)
    bytes.set(size)
    for (const [part, taken] of Object.entries(memory())) parts.set({ part }, taken)
    listening.set(Number(edge.isNotified))
    connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
    connections.set({ state: 'idle' }, pool.idleCount)
    waiting.set(pool.waitingCount + reads.waiting)
    measureReplicas()
  }
}

function replicaMetrics(metrics: Registry, { replicas }: Deps['store']): () => void {
  const served = new Counter({
    name: 'gateway_replica_reads_total',
    help:
      'Reads by server, primary or the host of a replica, and outcome. A read that failed ' +
      'on a replica was read again from the primary. Absent without DATABASE_REPLICA_URLS.',
    labelNames: ['server', 'outcome'],
    registers: [metrics],
  })
  const gauge = gaugesIn(metrics)
  const labelNames = ['replica']
  const up = gauge(
    'gateway_replica_up',
    '1 while reads may go to a replica, else 0: it cannot be reached, was promoted, is ' +
      'not a copy of the primary or is far behind.',
    labelNames,
  )
  const behind = gauge(
    'gateway_replica_behind_seconds',
    'How long a replica has lacked a data version that this process has answered or ' +
      'been notified of.',
    labelNames,
  )
  if (replicas) replicas.onRead = (server, outcome) => served.inc({ server, outcome })
  return () => {
    for (const { name: replica, fault, behindSeconds } of replicas?.states ?? []) {
      up.set({ replica }, Number(fault === undefined))
      behind.set({ replica }, behindSeconds)
    }
  }
}

function storeMetrics({ metrics, store, log, now }: MetricsOptions): () => Promise<void> {
  const gauge = gaugesIn(metrics)
  const up = gauge('gateway_database_up', '1 if the database answered this scrape in time, else 0.')
  const newest = gauge(
    'gateway_newest_distribution_timestamp_seconds',
    'Midnight UTC of the newest stored distribution date. Absent if no positions are stored.',
  )
  const age = gauge(
    'gateway_newest_distribution_age_seconds',
    'Seconds since midnight UTC of the newest stored distribution date. Absent if no ' +
      'positions are stored.',
  )
  const snapshot = gauge(
    'gateway_newest_snapshot_timestamp_seconds',
    'The time of the newest snapshot on each chain. Absent if none is stored, or if the ' +
      'store is spread over several servers.',
    ['chain'],
  )
  const snapshotAge = gauge(
    'gateway_newest_snapshot_age_seconds',
    'Seconds since the newest snapshot on each chain. Absent if none is stored, or if ' +
      'the store is spread over several servers.',
    ['chain'],
  )
  const version = gauge(
    'gateway_data_version',
    'The version of the data. Each change of the store raises it.',
  )
  const changed = gauge('gateway_data_changed_timestamp_seconds', 'When the data last changed.')
  const pending = gauge('gateway_ranks_pending', 'Past dates whose ranks are not computed yet.')
  const running = gauge(
    'gateway_distribution_runs_in_progress',
    'Runs in progress, of all gateways.',
  )
  const succeeded = gauge(
    'gateway_distribution_last_success_timestamp_seconds',
    'When the newest successful run of each kind ended.',
    ['kind'],
  )
  const duration = gauge(
    'gateway_distribution_last_success_duration_seconds',
    'How long the newest successful run of each kind took.',
    ['kind'],
  )
  const positions = gauge(
    'gateway_distribution_last_success_positions',
    'The positions that the newest successful run of each kind left on its date.',
    ['kind'],
  )
  const runs = new Counter({
    name: 'gateway_distribution_runs_total',
    help: 'Finished runs in the store. All gateways on the store report the same numbers.',
    labelNames: ['kind', 'status'],
    registers: [metrics],
  })
  const legNewest = gauge(
    'gateway_update_newest_timestamp_seconds',
    'The date of the newest record of each leg of analytics that updates fetch, by ' +
      'chain. Absent before its first record.',
    ['leg', 'chain'],
  )
  const legUpdated = gauge(
    'gateway_update_last_success_timestamp_seconds',
    'When the newest successful update of each leg of analytics ended. Absent before ' +
      'its first record.',
    ['leg'],
  )
  const readSnapshots = store.dialect.choose({
    usual: async () =>
      (await store.pool.query<NewestOfChain>({ name: 'newest-snapshots', text: NEWEST_SNAPSHOTS }))
        .rows,
    ifSpread: async () => [],
  })
  const read = async () => {
    try {
      const all = Promise.all([readFreshness(store.pool), readSnapshots()])
      const [freshness, snapshots] = await pTimeout(all, { milliseconds: TIMEOUT_MS })
      return { ...freshness, snapshots }
    } catch (error) {
      if (!(error instanceof TimeoutError) && !storeFault(error))
        log.error({ err: error }, 'the metrics of the store cannot be read')
      return undefined
    }
  }
  return async () => {
    const values = await read()
    // From here on nothing is awaited, so that concurrent scrapes do not mix.
    up.set(Number(values !== undefined))
    for (const one of [newest, age, version, changed, pending, running]) one.remove()
    for (const one of [
      succeeded,
      duration,
      positions,
      runs,
      snapshot,
      snapshotAge,
      legNewest,
      legUpdated,
    ])
      one.reset()
    if (!values) return
    if (values.newest) {
      newest.set(values.newest.getTime() / 1000)
      age.set((now().getTime() - values.newest.getTime()) / 1000)
    }
    for (const { chainId: chain, time } of values.snapshots)
      if (time) {
        snapshot.set({ chain }, time.getTime() / 1000)
        snapshotAge.set({ chain }, (now().getTime() - time.getTime()) / 1000)
      }
    for (const { leg, updatedAt, chains } of values.legs) {
      legUpdated.set({ leg }, updatedAt)
      for (const [chain, time] of Object.entries(chains))
        legNewest.set({ leg, chain }, Date.parse(time) / 1000)
    }
    version.set(values.dataVersion)
    changed.set(values.changedAt.getTime() / 1000)
    pending.set(values.ranksPending)
    running.set(values.running)
    for (const { kind, status, count } of values.runs) runs.inc({ kind, status }, count)
    for (const { kind, finishedAt, seconds, positionCount } of values.succeeded) {
      succeeded.set({ kind }, finishedAt.getTime() / 1000)
      duration.set({ kind }, seconds)
      if (positionCount !== null) positions.set({ kind }, positionCount)
    }
  }
}
