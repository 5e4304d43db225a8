import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** The store: one pool of connections, seen through pg (writes, COPY) and through Prisma (reads). */
export interface Store {
  pool: pg.Pool
  prisma: PrismaClient
  close(): Promise<void>
}

/** What a resolver reads with: everything it returns belongs to one snapshot of the store. */
export type Reader = Prisma.TransactionClient

const WAIT_MS = 10_000
const READ_MS = 30_000

export interface StoreOptions {
  url: string
  poolSize: number
  onError(error: Error): void
  /** Told of every statement that Prisma sends: tests count them. */
  onStatement?(sql: string): void
}

export function openStore({ url, poolSize, onError, onStatement }: StoreOptions): Store {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: 'gateway',
    connectionTimeoutMillis: WAIT_MS,
    keepAlive: true,
  })
  pool.on('error', onError)
  // Between two users a client has no listener: an error in that moment, without this one, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: onError, disposeExternalPool: false }),
    log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
    transactionOptions: { maxWait: WAIT_MS, timeout: READ_MS },
  })
  if (onStatement) (prisma as PrismaClient<'query'>).$on('query', (event) => onStatement(event.query))
  return {
    pool,
    prisma,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/**
 * Runs `work` on one snapshot of the store: whatever others commit meanwhile, all that it reads fits together.
 * The first thing read is the data version, which names the snapshot.
 */
export function readSnapshot<T>(store: Store, work: (reader: Reader, version: bigint) => Promise<T>): Promise<T> {
  return store.prisma.$transaction(
    async (transaction) => {
      const reader = oneAtATime(transaction)
      return work(reader, await versionSeenBy(reader))
    },
    { isolationLevel: 'RepeatableRead' },
  )
}

/** The version of the data that a reader sees. */
export async function versionSeenBy(reader: Reader): Promise<bigint> {
  const [row] = await reader.$queryRaw<[{ version: bigint }]>`SELECT sum(version)::bigint AS version FROM data_version`
  return row.version
}

/** The version of the data that a read started now would see. */
export async function dataVersion(store: Store): Promise<bigint> {
  const { rows } = await store.pool.query<{ version: string }>({
    name: 'version',
    text: 'SELECT sum(version)::bigint AS version FROM data_version',
  })
  return BigInt(rows[0]?.version ?? 0)
}
