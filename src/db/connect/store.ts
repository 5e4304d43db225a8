import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { Pipelines } from './pipelines.ts'
import { openProbe, type Probe } from './probe.ts'
import { type Lend, pgReader, type Reader } from './reader.ts'
import { sessionSql } from './session.ts'
import type { TextRow } from './text-query.ts'

/** The store: a pool of connections, seen through pg and through Prisma, and a few that single statements are read on. */
export interface Store {
  pool: pg.Pool
  reads: Pipelines
  /** Tells whether the database answers, whatever the pool is busy with. */
  probe: Probe
  prisma: PrismaClient
  /** Told of every statement of a reader: tests count them. */
  onStatement: ((sql: string) => void) | undefined
  /** How many bytes one answer may have. */
  maxAnswerBytes: number | undefined
  close(): Promise<void>
}

const WAIT_MS = 10_000
const READ_MS = 30_000
/** More of them would send less in one write. */
const MOST_PIPELINES = 3

export interface StoreOptions {
  url: string
  /** How many connections there are at most: at least 2. */
  poolSize: number
  /** How long Postgres may be at one statement outside of transactions that write; 0 or none: as long as the store allows. */
  readTimeoutMs?: number
  /** How long a statement may wait for a lock; 0 or none: as long as the store allows. */
  lockTimeoutMs?: number
  /** How many bytes one answer may have; undefined: as many as it likes. */
  maxAnswerBytes?: number
  onError(error: Error): void
  /** Told of every statement of a reader: tests count them. */
  onStatement?: (sql: string) => void
}

export function openStore({
  url,
  poolSize,
  readTimeoutMs = 0,
  lockTimeoutMs = 0,
  maxAnswerBytes,
  onError,
  onStatement,
}: StoreOptions): Store {
  const lines = Math.min(MOST_PIPELINES, Math.floor((poolSize - 2) / 2))
  const client = {
    connectionString: url,
    application_name: 'gateway',
    connectionTimeoutMillis: WAIT_MS,
    keepAlive: true,
  }
  const session = sessionSql({ statement_timeout: readTimeoutMs, lock_timeout: lockTimeoutMs })
  const onConnect = async (connection: pg.ClientBase) => {
    await connection.query(session)
  }
  const pool = new pg.Pool({ ...client, max: poolSize - lines, onConnect })
  pool.on('error', onError)
  // Between two users a client has no listener: an error in that moment, without this one, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: onError, disposeExternalPool: false }),
    log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
    transactionOptions: { maxWait: WAIT_MS, timeout: READ_MS },
  })
  if (onStatement) (prisma as PrismaClient<'query'>).$on('query', (event) => onStatement(event.query))
  const reads = new Pipelines({ client, pool, size: lines, onConnect })
  const probe = openProbe(url)
  return {
    pool,
    reads,
    probe,
    prisma,
    onStatement,
    maxAnswerBytes,
    async close() {
      await prisma.$disconnect()
      await reads.close()
      await probe.close()
      await pool.end()
    },
  }
}

/** A reader whose statements each see what is stored when they are sent: for writers, who read what they wrote. */
export const plainReader = ({ pool, onStatement }: Store): Reader =>
  pgReader(
    async (_, work) => {
      const client = await pool.connect()
      try {
        return await work(client)
      } finally {
        client.release()
      }
    },
    { onStatement },
  )

const limitsOf = ({ onStatement, maxAnswerBytes: maxBytes }: Store) => ({ onStatement, maxBytes })

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
  const reader = new SingleReader(pgReader(store.reads.lend, limitsOf(store)))
  try {
    const result = await work(reader)
    return reader.statements > 1 ? undefined : { result }
  } catch (error) {
    if (reader.statements > 1) return undefined
    throw error
  }
}

class SingleReader implements Reader {
  readonly #reader: Reader
  statements = 0

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async $queryRaw<Rows>(...query: Parameters<Reader['$queryRaw']>): Promise<Rows> {
    this.#assertFirst()
    return this.#reader.$queryRaw<Rows>(...query)
  }

  async textRows(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]> {
    this.#assertFirst()
    return this.#reader.textRows(query)
  }

  get maxBytes() {
    return this.#reader.maxBytes
  }

  get models() {
    return this.#reader.models
  }

  #assertFirst(): void {
    if (++this.statements > 1) throw new SecondStatement('a transaction is needed')
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
    const result = await work(pgReader(inTurn(client), limitsOf(store)))
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

/**
 * Lends a connection that is asked in parallel to one statement after the other. One that fails ends the transaction: those
 * behind it fail with it, and are not sent.
 */
function inTurn(client: pg.PoolClient): Lend {
  let last: Promise<unknown> = Promise.resolve()
  return (_, work) => {
    const own = last.then(() => work(client))
    last = own
    return own
  }
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
