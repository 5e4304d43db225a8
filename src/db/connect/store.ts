import pTimeout from 'p-timeout'
import pg from 'pg'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Replicas } from '../topology/replicas.ts'
import { single } from '../topology/single.ts'
import type { Topology } from '../topology/topology.ts'
import { destroyConnection } from './cancel.ts'
import { Client, type ClientConfig, type StorePoolOptions } from './client.ts'
import { type Models, openModels } from './models.ts'
import { PreparedStatements } from './prepared.ts'
import { openProbe, type Probe } from './probe.ts'
import { type Lend, pgReader, type Reader } from './reader.ts'
import { Reads } from './reads.ts'
import type { TextRow } from './row-parser.ts'
import type { Caller, ReadScope, Statement } from './scope.ts'
import { sessionSql } from './session.ts'
import { mostWriters } from './transaction.ts'

/** The connections to the store: a pool for pg and Prisma, and a few shared ones for single statements. */
export interface Store {
  pool: pg.Pool
  reads: Reads
  /** The names of statements. */
  statements: PreparedStatements
  /** Checks that the database answers, even while the pool is busy. */
  probe: Probe
  models: Models
  /** The replicas that share its reads. */
  replicas?: Replicas<Store> | undefined
  topology: Topology
  /** Called with each statement of a reader, after it has ended. */
  onStatement: ((statement: Statement) => void) | undefined
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  maxAnswerBytes: number | undefined
  close(): Promise<void>
}

const CONNECT_MS = 2000
/** The maximum wait for a connection of the pool. */
const WAIT_MS = 10_000
const CLOSING_MS = 2000
/** The maximum number of shared connections. With more, each write would carry fewer statements. */
const MOST_LINES = 3

export interface StoreOptions {
  url: string
  /** The same database without a pooler. */
  directUrl?: string
  /** The maximum number of connections, at least 2. */
  poolSize: number
  /** The time limit for the reads of one operation. 0 or undefined means the server's default. */
  readTimeoutMs?: number
  /** The time limit for a lock. 0 or undefined means the server's default. */
  lockTimeoutMs?: number
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  maxAnswerBytes?: number
  /** True if each connection is a session: statements can be prepared, and settings stay. It is not in a pooler in transaction mode. */
  sessions?: boolean
  /** The topology: in one Postgres by default. */
  topology?: Topology
  /** The names of statements, which stores of one process share. */
  statements?: PreparedStatements
  onError(error: Error): void
  /** Called with each statement of a reader, after it has ended. */
  onStatement?: (statement: Statement) => void
}

/** Opens the store. Connections are made on first use. */
export function openStore({
  url,
  directUrl = url,
  poolSize,
  readTimeoutMs = 0,
  lockTimeoutMs = 0,
  maxAnswerBytes,
  sessions = true,
  topology = single,
  statements = new PreparedStatements(),
  onError,
  onStatement,
}: StoreOptions): Store {
  const lines = Math.min(MOST_LINES, Math.floor((poolSize - 2) / 2))
  const client = {
    connectionString: url,
    application_name: 'gateway',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    named: sessions,
  }
  const settings = { statement_timeout: readTimeoutMs, lock_timeout: lockTimeoutMs, ...topology.session }
  const session = sessions ? sessionSql(settings) : 'SELECT'
  const onConnect = async (connection: pg.ClientBase) => {
    await pTimeout(connection.query(session), { milliseconds: CONNECT_MS, message: 'timeout expired' })
  }
  const options: StorePoolOptions = { lockTimeoutMs, directUrl }
  const pool = new pg.Pool({
    ...client,
    ...options,
    Client: PoolClient,
    connectionTimeoutMillis: WAIT_MS,
    max: poolSize - lines,
    onConnect,
  })
  pool.on('error', onError)
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // Between two uses a client has no other listener, and an unhandled error event would end the process.
    client.on('error', () => {})
    client.once('end', () => clients.delete(client))
  })
  const models = openModels(pool, { onError, onStatement })
  // Even while all writers are busy, slow reads leave one connection of the pool to other reads.
  const slow = Math.max(1, pool.options.max - mostWriters(pool) - 1)
  const quick = Math.max(1, pool.options.max - slow)
  const reads = new Reads({ client, pool, lines, slow, quick, timeoutMs: readTimeoutMs, onConnect })
  const probe = openProbe(url)
  return {
    pool,
    reads,
    statements,
    probe,
    models,
    topology,
    onStatement,
    maxAnswerBytes,
    async close() {
      await models.prisma.$disconnect()
      await reads.close()
      await probe.close()
      // A hanging database would not answer the goodbye.
      const destroy = () => {
        for (const client of clients) destroyConnection(client)
      }
      await pTimeout(pool.end(), { milliseconds: CLOSING_MS, fallback: destroy })
    },
  }
}

/** A pool connection that must connect within CONNECT_MS. The pool itself would allow WAIT_MS. */
class PoolClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS })
  }
}

/** A reader without a snapshot: each statement sees the newest data, including the writes of a mutation. */
export function plainReader(store: Store): Reader {
  const { reads, statements, onStatement, models, topology } = store
  return pgReader((_, work) => reads.exclusive(reads.scope(), work), {
    statements,
    onStatement,
    topology,
    explain: (query) => readSnapshot(store, (reader) => reader.explain(query)),
    models: () => models.prisma,
  })
}

const readerOptions = (
  { statements, onStatement, topology, maxAnswerBytes: maxBytes }: Store,
  { caller }: ReadScope,
) => ({
  statements,
  onStatement(statement: Statement) {
    onStatement?.(statement)
    caller?.onStatement?.(statement)
  },
  maxBytes,
  topology,
})

/** Thrown at the second statement of work that was started without a transaction. */
class SecondStatement extends Error {}

/** The operations, by document or another key object, that needed a transaction when they first ran. */
const transactional = new WeakSet<object>()

/**
 * Runs `work` on a reader with one snapshot of the store or of a replica. All its statements together may take READ_TIMEOUT_MS. Work
 * that has never needed a second statement runs without a transaction. It may run more than once.
 * @param operation identifies the work: the same object each time
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function readFor<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller?: Caller,
): Promise<T> {
  const read = (from: Store, caller?: Caller) => readFrom(from, operation, work, caller)
  return store.replicas ? store.replicas.read(read, caller) : read(store, caller)
}

async function readFrom<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller: Caller | undefined,
): Promise<T> {
  const scope = store.reads.scope(caller)
  if (!transactional.has(operation)) {
    // A single statement is its own snapshot.
    const lend: Lend = (statement, send) => store.reads.lend(statement, send, scope)
    const reader = new SingleReader(store, scope, pgReader(lend, readerOptions(store, scope)))
    try {
      const result = await work(reader)
      if (reader.statements <= 1) return result
    } catch (error) {
      if (reader.statements <= 1) throw error
    }
    transactional.add(operation)
  }
  return readSnapshot(store, work, scope)
}

class SingleReader implements Reader {
  readonly #store: Store
  readonly #scope: ReadScope
  readonly #reader: Reader
  statements = 0

  constructor(store: Store, scope: ReadScope, reader: Reader) {
    this.#store = store
    this.#scope = scope
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

  explain(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<unknown> {
    return readSnapshot(this.#store, (reader) => reader.explain(query), this.#scope)
  }

  get maxBytes() {
    return this.#reader.maxBytes
  }

  get topology() {
    return this.#reader.topology
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
 * Runs `work` on one snapshot of the store, so that concurrent commits do not affect it. Work that turns out to be slow
 * may be restarted.
 */
export function readSnapshot<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  scope = store.reads.scope(),
): Promise<T> {
  return store.reads.exclusive(scope, async (client) => {
    const models = store.models.ofReader()
    await client.query(store.topology.begin)
    try {
      const { lend, close } = inTurn(client)
      const reader = pgReader(lend, { ...readerOptions(store, scope), models: models.open })
      const result = await work(reader).finally(close)
      await client.query('COMMIT')
      return result
    } catch (error) {
      // A lost connection has nothing to roll back.
      await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      await models.close()
    }
  })
}

/**
 * Lends a connection to concurrent statements one after the other. A failed statement ends the transaction, so the ones
 * behind it fail with the same error and are not sent. `close` waits for the statement that has been sent, and drops those
 * behind it: an answer that lacks a required field is ready before its other fields.
 */
function inTurn(client: pg.PoolClient): { lend: Lend; close(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    lend(_, work) {
      const own = last.then(() => {
        if (closed) throw new Error('The transaction has ended.')
        return work(client)
      })
      last = own
      return own
    },
    async close() {
      closed = true
      await last.catch(() => {})
    },
  }
}

/** The version of the data that a reader sees. */
export async function versionSeenBy(reader: Reader): Promise<bigint> {
  const [row] = await reader.$queryRaw<[{ version: bigint }]>`SELECT sum(version)::bigint AS version FROM data_version`
  return row.version
}
