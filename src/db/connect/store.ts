import pTimeout from 'p-timeout'
import pg from 'pg'
import type { Prisma } from '../../generated/prisma/client.ts'
import { destroyConnection } from './cancel.ts'
import { type Models, openModels } from './models.ts'
import { openProbe, type Probe } from './probe.ts'
import { type Lend, pgReader, type Reader } from './reader.ts'
import { Reads } from './reads.ts'
import type { ReadScope } from './scope.ts'
import { sessionSql } from './session.ts'
import type { TextRow } from './text-query.ts'
import { mostWriters } from './transaction.ts'

/** The store: a pool of connections, seen through pg and through Prisma, and a few that single statements are read on. */
export interface Store {
  pool: pg.Pool
  reads: Reads
  /** Tells whether the database answers, whatever the pool is busy with. */
  probe: Probe
  models: Models
  /** Told of every statement of a reader: tests count them. */
  onStatement: ((sql: string) => void) | undefined
  /** How many bytes one answer may have. */
  maxAnswerBytes: number | undefined
  close(): Promise<void>
}

const CONNECT_MS = 2000
/** How long somebody waits for a connection of the pool. */
const WAIT_MS = 10_000
const CLOSING_MS = 2000
/** More of them would send less in one write. */
const MOST_LINES = 3

export interface StoreOptions {
  url: string
  /** How many connections there are at most: at least 2. */
  poolSize: number
  /** How long the reads of one operation may take; 0 or none: as long as the store allows. */
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
  const lines = Math.min(MOST_LINES, Math.floor((poolSize - 2) / 2))
  const client = {
    connectionString: url,
    application_name: 'gateway',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  }
  const session = sessionSql({ statement_timeout: readTimeoutMs, lock_timeout: lockTimeoutMs })
  const onConnect = async (connection: pg.ClientBase) => {
    await pTimeout(connection.query(session), { milliseconds: CONNECT_MS, message: 'timeout expired' })
  }
  const pool = new pg.Pool({
    ...client,
    Client,
    connectionTimeoutMillis: WAIT_MS,
    max: poolSize - lines,
    onConnect,
  })
  pool.on('error', onError)
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // Between two users a client has no listener: an error in that moment, without this one, would end the process.
    client.on('error', () => {})
    client.once('end', () => clients.delete(client))
  })
  const models = openModels(pool, { onError, onStatement })
  // Of the pool, slow reads leave one connection to others while all writers are at work.
  const slow = Math.max(1, pool.options.max - mostWriters(pool) - 1)
  const quick = Math.max(1, pool.options.max - slow)
  const reads = new Reads({ client, pool, lines, slow, quick, timeoutMs: readTimeoutMs, onConnect })
  const probe = openProbe(url)
  return {
    pool,
    reads,
    probe,
    models,
    onStatement,
    maxAnswerBytes,
    async close() {
      await models.prisma.$disconnect()
      await reads.close()
      await probe.close()
      // A database that hangs says no goodbye.
      const destroy = () => {
        for (const client of clients) destroyConnection(client)
      }
      await pTimeout(pool.end(), { milliseconds: CLOSING_MS, fallback: destroy })
    },
  }
}

/** A connection of the pool, which would give it as long to be made as it lets others wait for one. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS })
  }
}

/** A reader whose statements each see what is stored when they are sent: for writers, who read what they wrote. */
export const plainReader = ({ reads, onStatement, models }: Store): Reader =>
  pgReader((_, work) => reads.exclusive(reads.scope(), work), { onStatement, models: () => models.prisma })

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
  scope: ReadScope,
  work: (reader: Reader) => Promise<T>,
): Promise<{ result: T } | undefined> {
  const reader = new SingleReader(pgReader((name, send) => store.reads.lend(name, send, scope), limitsOf(store)))
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

  /** One call of Prisma may take several statements. */
  get models(): never {
    this.statements = Number.POSITIVE_INFINITY
    throw new SecondStatement('a transaction is needed')
  }

  #assertFirst(): void {
    if (++this.statements > 1) throw new SecondStatement('a transaction is needed')
  }
}

/**
 * Runs `work` on one snapshot of the store: whatever others commit meanwhile, all that it reads fits together. It may be run
 * twice, where it turns out to be slow.
 */
export function readSnapshot<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  scope = store.reads.scope(),
): Promise<T> {
  return store.reads.exclusive(scope, async (client) => {
    const models = store.models.ofReader()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      const result = await work(pgReader(inTurn(client), { ...limitsOf(store), models: models.open }))
      await client.query('COMMIT')
      return result
    } catch (error) {
      // A connection that was lost has nothing to roll back.
      await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      await models.close()
    }
  })
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

/** The version of the data that a reader sees. */
export async function versionSeenBy(reader: Reader): Promise<bigint> {
  const [row] = await reader.$queryRaw<[{ version: bigint }]>`SELECT sum(version)::bigint AS version FROM data_version`
  return row.version
}
