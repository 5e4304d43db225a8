import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect } from 'vitest'
import { createApp } from '../../src/app.ts'
import { openCache } from '../../src/cache/open-cache.ts'
import { readConfig } from '../../src/config.ts'
import { openNotifications } from '../../src/db/connect/notifications.ts'
import { openStore as openGatewayStore } from '../../src/db/connect/store.ts'
import { topologyAt } from '../../src/db/topology/find-topology.ts'
import { CHANNELS, type Deps, openAnalytics } from '../../src/deps.ts'
import { Outage } from '../../src/outage.ts'
import { openClient, type PositionsSource } from '../../src/sources/index.ts'
import { noteCause } from './causes.ts'
import { post } from './send.ts'
import { openStore } from './store.ts'

export const ADMIN_TOKEN = 'test-admin-token'
export const asAdmin = { authorization: `Bearer ${ADMIN_TOKEN}` }

/**
 * True if queries are planned. PLAN=off in the environment of a test run leaves plans out, but for
 * the tests that count their statements.
 */
export const hasPlans = process.env.PLAN !== 'off'

/** True if the run's server is a Citus cluster, of which tables of users have no triggers. */
export const onCitus = 'TEST_CITUS_WORKERS' in process.env

export interface Gateway {
  /** Where it listens: http://127.0.0.1:PORT */
  base: string
  deps: Deps
  /** The SQL statements that Prisma has sent since `statements.length = 0`. */
  statements: string[]
  /** Bypasses every cache, unless `headers` have another cache-control. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  graphql(
    query: string,
    variables?: object,
    headers?: Record<string, string>,
  ): Promise<{ data?: any; errors?: any[] }>
  /** Sends an operation that has no errors. @returns its data */
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<any>
  close(): Promise<void>
}

export interface GatewayOptions {
  env?: Record<string, string>
  /** False if all queries run on resolvers. */
  plan?: boolean
  positionsSource?: PositionsSource
  now?: () => Date
  /** The database of another gateway, which must outlive this one. */
  on?: Gateway
  /** A database that it does not own. */
  url?: string
  /** The database that its own is a copy of. */
  template?: string
  /** Gets what it logs. */
  onLog?: (line: Record<string, any>) => void
}

/**
 * A gateway that listens, on a separate database (empty, but for the tables, or a copy) unless it
 * is `on` another one's.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const shared = options.url ?? options.on?.deps.config.DATABASE_URL
  const database = shared ? { url: shared, async close() {} } : await openStore(options.template)
  const config = readConfig({
    ADMIN_TOKEN,
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '8',
    LOG_LEVEL: 'silent',
    PORT: '0',
    ...options.env,
  })
  const statements: string[] = []
  const store = openGatewayStore({
    url: database.url,
    poolSize: config.DATABASE_POOL_SIZE,
    readTimeoutMs: config.READ_TIMEOUT_MS,
    lockTimeoutMs: config.LOCK_TIMEOUT_MS,
    maxAnswerBytes: config.MAX_ANSWER_BYTES,
    dialect: await topologyAt(database.url),
    onError() {},
    onStatement: ({ text }) => statements.push(text),
  })
  const cache = await openCache({ redisUrl: config.REDIS_URL, onError() {} })
  const client = openClient({ timeoutMs: 30_000, retries: 0, maxBytes: 1 << 26 })
  const notifications = openNotifications({
    url: database.url,
    channels: CHANNELS,
    notify: store.probe.notify,
    onError() {},
  })
  const { onLog } = options
  const log = onLog
    ? pino({}, { write: (line) => onLog(JSON.parse(line)) })
    : pino({ level: 'error' }, { write: noteCause })
  const deps: Deps = {
    config,
    log,
    // A column that does not exist is an outage to clients, so its cause is a warning.
    outage: new Outage({
      log: onLog ? log : pino({ level: 'warn' }, { write: noteCause }),
      probe: () => store.probe.ping(),
    }),
    store,
    notifications,
    metrics: new Registry(),
    cache,
    basePoints: { deposit: config.POINTS_BASE_DEPOSIT, borrow: config.POINTS_BASE_BORROW },
    logoHosts: config.LOGO_HOSTS,
    keepsLedger: config.LEDGER_DAYS !== 0,
    client,
    positionsSource: options.positionsSource,
    analytics: openAnalytics(config, client),
    maxPriceJump: config.MAX_PRICE_JUMP,
    now: options.now ?? (() => new Date()),
    storeName: 'test',
    close: async () => {},
  }
  const app = await createApp(deps, { plan: options.plan ?? hasPlans })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (!address || typeof address !== 'object') throw new Error('the gateway does not listen')
  const base = `http://127.0.0.1:${address.port}`
  const graphql: Gateway['graphql'] = async (query, variables, headers) =>
    JSON.parse(await post(base, { query, variables }, headers))
  const ask: Gateway['ask'] = async (query, variables, headers) => {
    const { data, errors } = await graphql(query, variables, headers)
    expect(errors, query).toBeUndefined()
    return data
  }
  return {
    base,
    deps,
    statements,
    get: (path, headers = {}) =>
      fetch(base + path, { headers: { 'cache-control': 'no-cache', ...headers } }),
    graphql,
    ask,
    async close() {
      await app.close()
      deps.outage.close()
      await cache.close()
      await client.close()
      await notifications.close()
      await store.close()
      await database.close()
    },
  }
}
