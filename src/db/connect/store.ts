import pTimeout from 'p-timeout'
import pg from 'pg'
import { type Dialect, oneServer } from '../dialect.ts'
import type { Replicas } from '../replicas/replicas.ts'
import { destroyConnection } from './cancel.ts'
import { type ClientConfig, StoreClient, type StorePoolOptions } from './client.ts'
import { Models } from './models.ts'
import { openProbe, type StoreProbe } from './probe.ts'
import { PreparedStatements } from './protocol.ts'
import { Reads } from './reads.ts'
import type { Statement } from './scope.ts'
import { sessionSql } from './session.ts'
import { mostWriters } from './transaction.ts'

/** The connections to the store: a pool, and a few shared ones for single statements. */
export interface Store {
  pool: pg.Pool
  reads: Reads
  statements: PreparedStatements
  /** Checks that the database answers, even while the pool is busy. */
  probe: StoreProbe
  models: Models
  /** The replicas that share its reads. */
  replicas?: Replicas<Store> | undefined
  dialect: Dialect
  /** Called with each statement of a reader, after it has ended. */
  onStatement: ((statement: Statement) => void) | undefined
  maxAnswerBytes: number | undefined
  close(): Promise<void>
}

const CONNECT_MS = 2000
const WAIT_MS = 10_000
const CLOSING_MS = 2000
// The maximum number of shared connections. With more, each write would carry fewer statements.
const MOST_LINES = 3

export interface StoreOptions {
  url: string
  /** The same database without a pooler. */
  directUrl?: string
  /** The maximum number of connections, at least 2. */
  poolSize: number
  /** The time limit for the reads of one operation. 0 or undefined means none. */
  readTimeoutMs?: number
  /** The time limit for a lock. 0 or undefined means none. */
  lockTimeoutMs?: number
  maxAnswerBytes?: number
  /**
   * True if each connection is a session: statements can be prepared, and settings stay. It is not
   * in a pooler in transaction mode.
   */
  sessions?: boolean
  dialect?: Dialect
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
  dialect = oneServer,
  statements = new PreparedStatements(),
  onError,
  onStatement,
}: StoreOptions): Store {
  const lines = Math.min(MOST_LINES, Math.floor((poolSize - 2) / 2))
  const settings = {
    statement_timeout: readTimeoutMs,
    lock_timeout: lockTimeoutMs,
    ...dialect.session,
  }
  const client = {
    connectionString: url,
    application_name: 'gateway',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    pooled: sessions ? undefined : settings,
  }
  const session = sessions ? sessionSql(settings) : 'SELECT'
  const connected = (sql: string) => async (connection: pg.ClientBase) => {
    await pTimeout(connection.query(sql), { milliseconds: CONNECT_MS, message: 'timeout expired' })
  }
  // Many quick statements take longer to plan than to run. A plan for all values does not know
  // which server has the rows.
  const planned = dialect.choose({
    usual: `${session}; SET plan_cache_mode = force_generic_plan`,
    ifSpread: session,
  })
  const shared = sessions ? planned : session
  const options: StorePoolOptions = { lockTimeoutMs, directUrl }
  const pool = new pg.Pool({
    ...client,
    ...options,
    Client: PoolClient,
    connectionTimeoutMillis: WAIT_MS,
    max: poolSize - lines,
    onConnect: connected(session),
  })
  pool.on('error', onError)
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // Between two uses a client has no other listener, and an unhandled error event would end the
    // process.
    client.on('error', () => {})
    client.once('end', () => clients.delete(client))
  })
  const models = new Models()
  // Even while all writers are busy, slow reads leave one connection of the pool to other reads.
  const slow = Math.max(1, pool.options.max - mostWriters(pool) - 1)
  const quick = Math.max(1, pool.options.max - slow)
  const reads = new Reads({
    client,
    pool,
    lines,
    slow,
    quick,
    timeoutMs: readTimeoutMs,
    onConnect: connected(shared),
  })
  const probe = openProbe(url, { sessions })
  return {
    pool,
    reads,
    statements,
    probe,
    models,
    dialect,
    onStatement,
    maxAnswerBytes,
    async close() {
      await models.close()
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

// A pool connection that must connect within CONNECT_MS. The pool itself would allow WAIT_MS.
class PoolClient extends StoreClient {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS })
  }
}
