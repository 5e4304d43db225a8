import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { type Cache, openCache } from './cache/cache.ts'
import type { Config } from './config.ts'
import { openEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { openStore, type Store } from './db/store.ts'
import type { BasePoints } from './domain/points/formula.ts'
import { openPositionsSource } from './sources/open-positions-source.ts'
import type { PositionsSource } from './sources/positions-source.ts'

/** The resources of a running gateway. They are passed, never imported. */
export interface Deps {
  config: Config
  log: Logger
  store: Store
  cache: Cache
  basePoints: BasePoints
  positionsSource: PositionsSource | undefined
  now(): Date
  /** Where the store is, without secrets. */
  storeName: string
  close(): Promise<void>
}

/** Opens the store (embedded where no DATABASE_URL is given), brings its tables up to date, and opens the rest. */
export async function openDeps(config: Config): Promise<Deps> {
  const log = createLog(config)
  const closing: (() => Promise<void>)[] = []
  const close = async () => {
    for (const one of closing.splice(0).reverse())
      await one().catch((error: unknown) => log.error({ err: error }, 'closing failed'))
  }
  try {
    const embedded = config.DATABASE_URL ? undefined : await openEmbedded({ dataDir: config.DATA_DIR, log })
    if (embedded) closing.push(() => embedded.release())
    const url = config.DATABASE_URL ?? embedded?.url ?? ''
    await migrate({ url, migrationsDir: join(import.meta.dirname, '../prisma/migrations'), log })
    const onError = (error: Error) => log.warn({ err: error }, 'a connection to the store failed')
    const store = openStore({ url, poolSize: config.DATABASE_POOL_SIZE, onError })
    closing.push(() => store.close())
    const cache = await openCache({
      redisUrl: config.REDIS_URL,
      maxBytes: config.CACHE_MAX_BYTES,
      onError: (error) => log.warn({ err: error }, 'Redis cannot be reached: answers are computed'),
    })
    closing.push(() => cache.close())
    const basePoints = { deposit: config.POINTS_BASE_DEPOSIT, borrow: config.POINTS_BASE_BORROW }
    const positionsSource = config.POSITIONS_SOURCE ? openPositionsSource(config.POSITIONS_SOURCE) : undefined
    const storeName = embedded ? `embedded Postgres in ${config.DATA_DIR}` : `Postgres at ${new URL(url).host}`
    return { config, log, store, cache, basePoints, positionsSource, now: () => new Date(), storeName, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Lines of JSON; readable ones on a terminal. Nothing secret is logged: no headers, no bodies, no URLs of stores. */
function createLog(config: Config): Logger {
  const pretty = process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
    : {}
  return pino({ level: config.LOG_LEVEL, ...pretty })
}
