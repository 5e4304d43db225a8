import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { pgReader, type Reader } from './reader.ts'

/** The store: one pool of connections, seen through pg (writes, COPY) and through Prisma (reads). */
export interface Store {
  pool: pg.Pool
  prisma: PrismaClient
  /** Told of every statement of a reader: tests count them. */
  onStatement: ((sql: string) => void) | undefined
  close(): Promise<void>
}

const WAIT_MS = 10_000
const READ_MS = 30_000

export interface StoreOptions {
  url: string
  poolSize: number
  onError(error: Error): void
  /** Told of every statement of a reader: tests count them. */
  onStatement?: (sql: string) => void
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
    onStatement,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** A reader whose statements each see what is stored when they are sent: for writers, who read what they wrote. */
export const plainReader = (store: Store): Reader => pgReader(store.pool, store.onStatement)

/** Work that needs a second statement, and so a transaction, although it was begun without one. */
class SecondStatement extends Error {}

/**
 * Runs `work` on a reader whose only statement is its own snapshot: no transaction is needed for that. Work that sends
 * a second one is begun anew by the caller, in a transaction.
 * @returns undefined where there was a second statement
 */
export async function readOnce<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
): Promise<{ result: T } | undefined> {
  const pooled = pgReader(store.pool, store.onStatement)
  let statements = 0
  const reader: Reader = {
    $queryRaw: (...query) =>
      ++statements > 1 ? Promise.reject(new SecondStatement('a transaction is needed')) : pooled.$queryRaw(...query),
    textRows: (query) =>
      ++statements > 1 ? Promise.reject(new SecondStatement('a transaction is needed')) : pooled.textRows(query),
    get models() {
      return pooled.models
    },
  }
  try {
    const result = await work(reader)
    return statements > 1 ? undefined : { result }
  } catch (error) {
    if (statements > 1) return undefined
    throw error
  }
}

/** Runs `work` on one snapshot of the store: whatever others commit meanwhile, all that it reads fits together. */
export async function readSnapshot<T>(store: Store, work: (reader: Reader) => Promise<T>): Promise<T> {
  const client = await store.pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const result = await work(pgReader(inTurn(client), store.onStatement))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((e: Error) => {
      broken ??= e
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** A connection that is asked in parallel, which takes one statement after the other. */
function inTurn(client: pg.PoolClient): pg.PoolClient {
  let last: Promise<unknown> = Promise.resolve()
  const query = (config: pg.QueryConfig) => {
    const own = last.then(
      () =>
        new Promise((resolve, reject) =>
          client.query(config, (error, result) => (error ? reject(error) : resolve(result))),
        ),
    )
    last = own.catch(() => {})
    return own
  }
  return { query } as unknown as pg.PoolClient
}

/** The same through Prisma, for operations that ask for `node` or `nodes`, which its models load. */
export function readSnapshotWithModels<T>(store: Store, work: (reader: Reader) => Promise<T>): Promise<T> {
  return store.prisma.$transaction(
    (transaction) => {
      const models = oneAtATime(transaction)
      return work({
        $queryRaw: (...query) => models.$queryRaw(...(query as [Prisma.Sql])),
        textRows: () => Promise.reject(new Error('an operation that asks for nodes has no plan')),
        models,
      })
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
