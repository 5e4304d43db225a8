import pg from 'pg'
import type { StorePoolOptions } from './client.ts'
import { sessionSql } from './session.ts'

/**
 * Runs `work` under a lock that all gateways on the store share. Does nothing if another process
 * has it. The lock is on a separate connection, so it ends with the process, and is its
 * transaction's, so a pooler may be in between.
 * @returns whether it ran
 */
export async function whileLocked(
  pool: pg.Pool,
  key: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const {
    connectionString,
    connectionTimeoutMillis = 10_000,
    directUrl = connectionString,
  }: pg.PoolOptions & StorePoolOptions = pool.options
  const client = new pg.Client({
    connectionString: directUrl,
    connectionTimeoutMillis,
    application_name: 'gateway-lock',
    keepAlive: true,
  })
  // Work that depends on the lock notices its loss itself.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(
      `BEGIN; ${sessionSql({}, 'LOCAL')}; SET LOCAL idle_in_transaction_session_timeout = 0`,
    )
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS locked',
      [key],
    )
    if (!rows[0]?.locked) return false
    await work()
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
