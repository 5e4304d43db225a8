import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { Registry } from 'prom-client'
import type { Cache } from './cache/cache.ts'
import { openCache } from './cache/open-cache.ts'
import { type Config, legSetting } from './config.ts'
import { type Notifications, openNotifications } from './db/connect/notifications.ts'
import { poolingAt } from './db/connect/pooling.ts'
import { PreparedStatements } from './db/connect/protocol.ts'
import { openStore, type Store } from './db/connect/store.ts'
import { isLostConnection, storeFault } from './db/faults.ts'
import { Replicas } from './db/replicas/replicas.ts'
import { clockAhead, clockWarning } from './db/server/clock.ts'
import { assertMigrated, migrate } from './db/server/migrate.ts'
import { topologyAt } from './db/topology/find-topology.ts'
import type { BasePoints } from './domain/points/formula.ts'
import { applySeasons } from './domain/season/change-seasons.ts'
import { legNames } from './domain/update/legs.ts'
import type { Analytics } from './domain/update/update.ts'
import { openEmbedded } from './embedded/index.ts'
import { sharesOf } from './memory.ts'
import { Outage } from './outage.ts'
import { keepSecret, keepUrlSecret, withoutSecrets } from './secrets.ts'
import {
  type Client,
  isRemote,
  openAnalyticsSource,
  openClient,
  openPositionsSource,
  openRulesSource,
  type PositionsSource,
} from './sources/index.ts'
import { visible, visibleWhenParsed } from './visible.ts'

export const CHANNELS = ['gateway_data', 'gateway_run', 'gateway_key']

export const MIGRATIONS = join(import.meta.dirname, '../prisma/migrations')

// The connections outside of the pool: one listens, one checks that the database answers, one has
// the lock of a job.
const BESIDE_POOL = 3
const POOLED =
  'DATABASE_URL leads to a pooler in transaction mode, so changes are not heard and ' +
  'answers are not cached: set DATABASE_DIRECT_URL to the same database without it'
const POOLED_MIGRATIONS =
  'they cannot be applied through a pooler in transaction mode (set ' +
  'DATABASE_DIRECT_URL to the same database without it)'

/** The resources of a running gateway. They are passed, never imported. */
export interface Deps {
  config: Config
  log: Logger
  store: Store
  notifications: Notifications
  cache: Cache
  metrics: Registry
  outage: Outage
  basePoints: BasePoints
  logoHosts: readonly string[]
  /** False if runs write no entries of the ledger. */
  keepsLedger: boolean
  client: Client
  positionsSource: PositionsSource | undefined
  analytics: Analytics
  /** The maximum factor between a token's prices on consecutive dates. */
  maxPriceJump: number
  now(): Date
  storeName: string
  close(): Promise<void>
}

/**
 * Opens the store (embedded if there is no DATABASE_URL), applies migrations, and opens the other
 * resources.
 * @param options.logsOutages false for a command, which ends with its store, and says so itself
 */
export async function openDeps(config: Config, { logsOutages = true } = {}): Promise<Deps> {
  const log = createLog(config)
  const closing: (() => Promise<void>)[] = []
  let isClosing = false
  const close = async () => {
    isClosing = true
    for (const one of closing.splice(0).reverse())
      await one().catch((error: unknown) => {
        if (!isLostConnection(error)) log.error({ err: error }, 'closing failed')
      })
  }
  try {
    const embedded = config.DATABASE_URL
      ? undefined
      : await openEmbedded({ dataDir: config.DATA_DIR, log })
    if (embedded) closing.push(() => embedded.release())
    const url = config.DATABASE_URL ?? embedded?.url ?? ''
    const isPooled =
      !embedded && (await poolingAt(url, config.DATABASE_POOL_SIZE + BESIDE_POOL)) === 'transaction'
    const directUrl = config.DATABASE_DIRECT_URL ?? url
    const isDirect = !isPooled || config.DATABASE_DIRECT_URL !== undefined
    if (!isDirect) log.warn({}, POOLED)
    const migrations = { url: directUrl, migrationsDir: MIGRATIONS }
    const settings = async () => (await topologyAt(directUrl)).writing
    if (config.MIGRATE === 'on' && isDirect) await migrate({ ...migrations, settings, log })
    else
      await assertMigrated({
        ...migrations,
        reason: isDirect ? 'MIGRATE is off' : POOLED_MIGRATIONS,
      })
    const outageLog = logsOutages ? log : { warn: log.debug.bind(log) }
    const outage = new Outage({ log: outageLog, probe: () => store.probe.ping() })
    closing.push(async () => outage.close())
    const onError = (error: Error) => outage.failed(error)
    const storeOptions = {
      poolSize: config.DATABASE_POOL_SIZE,
      readTimeoutMs: config.READ_TIMEOUT_MS,
      lockTimeoutMs: config.LOCK_TIMEOUT_MS,
      maxAnswerBytes: config.MAX_ANSWER_BYTES,
      dialect: await topologyAt(directUrl),
      statements: new PreparedStatements(sharesOf(config).statements),
    }
    const store = openStore({ ...storeOptions, url, directUrl, sessions: !isPooled, onError })
    closing.push(() => store.close())
    const warning = clockWarning('Postgres', await clockAhead(store.pool))
    if (warning) log.warn({}, warning)
    const notifications = openNotifications({
      url: directUrl,
      channels: CHANNELS,
      notify: store.probe.notify,
      onError(error) {
        if (outage.active || storeFault(error)) outage.failed(error)
        else log.warn({ err: error }, 'notifications of changes cannot be received')
      },
    })
    closing.push(() => notifications.close())
    if (config.DATABASE_REPLICA_URLS) {
      const open = async (url: string): Promise<[string, Store]> => {
        const pooling = await poolingAt(url, config.DATABASE_POOL_SIZE + 1, 'DATABASE_REPLICA_URLS')
        const sessions = !isPooled && pooling !== 'transaction'
        return [new URL(url).host, openStore({ ...storeOptions, url, sessions, onError() {} })]
      }
      const replicas = new Map(await Promise.all(config.DATABASE_REPLICA_URLS.map(open)))
      store.replicas = new Replicas({ primary: store, replicas, notifications, log })
      closing.push(async () => store.replicas?.close())
    }
    const cache = await openCache({
      redisUrl: config.REDIS_URL,
      onError: (error) => log.warn({ err: error }, 'Redis cannot be reached: answers are computed'),
    })
    closing.push(() => cache.close())
    const client = openClient({
      timeoutMs: config.SOURCE_TIMEOUT_MS,
      retries: config.SOURCE_RETRIES,
      maxBytes: config.SOURCE_MAX_BYTES,
      limits: {
        bytes: config.SOURCE_MAX_FETCH_BYTES,
        records: config.SOURCE_MAX_FETCH_RECORDS,
        seconds: config.SOURCE_MAX_FETCH_SECONDS,
      },
      onFailedAttempt(source, reason) {
        if (!isClosing) log.warn({ source, reason }, 'a request to a source failed')
      },
    })
    closing.push(() => client.close())
    const positionsSource = openConfiguredSource(config, client)
    const analytics = openAnalytics(config, client)
    const now = () => new Date()
    if (config.SEASONS)
      await applySeasons({ pool: store.pool, now }, config.SEASONS, { requestedBy: 'SEASONS' })
    return {
      config,
      log,
      store,
      notifications,
      cache,
      metrics: new Registry(),
      outage,
      basePoints: { deposit: config.POINTS_BASE_DEPOSIT, borrow: config.POINTS_BASE_BORROW },
      logoHosts: config.LOGO_HOSTS,
      keepsLedger: config.LEDGER_DAYS !== 0,
      client,
      positionsSource,
      analytics,
      maxPriceJump: config.MAX_PRICE_JUMP,
      now,
      storeName: embedded
        ? `embedded Postgres in ${config.DATA_DIR}`
        : `Postgres at ${new URL(url).host}`,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function openConfiguredSource(config: Config, client: Client): PositionsSource | undefined {
  if (config.POSITIONS_SOURCE === undefined) return undefined
  const names = config.SOURCE_NAMES
  return openPositionsSource(
    {
      source: config.POSITIONS_SOURCE,
      name: names?.POSITIONS_SOURCE,
      format: config.POSITIONS_SOURCE_FORMAT,
      key: config.POSITIONS_SOURCE_KEY,
      paging: config.POSITIONS_SOURCE_PAGING,
      pageSize: config.POSITIONS_SOURCE_PAGE_SIZE,
      names: config.POSITIONS_SOURCE_FIELDS,
      prices: config.PRICES_SOURCE
        ? {
            url: config.PRICES_SOURCE,
            name: names?.PRICES_SOURCE,
            maxAgeSeconds: config.PRICES_MAX_AGE_SECONDS,
            chains: config.PRICES_CHAINS,
          }
        : undefined,
    },
    client,
  )
}

/** The sources of the legs, and what updates require of them. */
export function openAnalytics(config: Config, client: Client): Analytics {
  const sources: Analytics['sources'] = new Map(
    legNames.flatMap((leg) => {
      const {
        [legSetting(leg)]: separate,
        ANALYTICS_SOURCE: shared,
        ANALYTICS_MAPPING: mappings,
      } = config
      const place = separate ?? shared
      const mapping = mappings[leg]
      // A server of mapped records has no files.
      if (
        !place ||
        (separate === undefined && isRemote(place) && !mapping && Object.keys(mappings).length > 0)
      )
        return []
      const { ANALYTICS_SOURCE_KEY: key, SOURCE_TIMEOUT_MS: timeoutMs } = config
      const name =
        config.SOURCE_NAMES?.[separate === undefined ? 'ANALYTICS_SOURCE' : legSetting(leg)]
      const source = openAnalyticsSource({ source: place, name, key, mapping, timeoutMs }, client)
      return source ? [[leg, source]] : []
    }),
  )
  const { ANALYTICS_SOURCE: source, ANALYTICS_SOURCE_KEY: key } = config
  const rules =
    source && Object.keys(config.ANALYTICS_MAPPING).length === 0
      ? openRulesSource({ source, name: config.SOURCE_NAMES?.ANALYTICS_SOURCE, key }, client)
      : undefined
  return {
    sources,
    rules,
    overlapMs: config.ANALYTICS_OVERLAP_HOURS * 3_600_000,
    maxDrop: config.ANALYTICS_MAX_DROP,
  }
}

const secretsOf = (config: Config): string[] =>
  [
    config.ADMIN_TOKEN,
    ...(config.ADMIN_TOKENS ?? []).map(([, token]) => token),
    config.POSITIONS_SOURCE_KEY,
    config.ANALYTICS_SOURCE_KEY,
  ].filter((secret) => secret !== undefined)

// An error in a log line. Errors of libraries have more fields, such as the headers of a request or
// the text of an answer.
function shownError(error: Error): object {
  const { type, message, stack, code } = pino.stdSerializers.err(error) ?? {}
  return {
    type,
    message: withoutSecrets(String(message)),
    stack: withoutSecrets(String(stack)),
    code,
  }
}

// Logs JSON lines, or readable ones on a terminal. Nothing secret is logged: no headers, bodies or
// database URLs.
function createLog(config: Config): Logger {
  const pretty = process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
    : {}
  for (const secret of secretsOf(config)) keepSecret(secret)
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT) keepUrlSecret(config.OTEL_EXPORTER_OTLP_ENDPOINT)
  const streamWrite = process.stdout.isTTY
    ? visibleWhenParsed
    : (line: string) => `${visible(line.trimEnd())}\n`
  return pino({
    level: config.LOG_LEVEL,
    serializers: { err: shownError },
    ...pretty,
    hooks: { streamWrite },
  })
}
