import pLimit, { type LimitFunction } from 'p-limit'
import type { Pool, PoolClient } from 'pg'

/**
 * What is written may take as long as it takes. A server that can tell looks every second whether the client is there: one
 * that was killed keeps no lock. One that hangs loses its locks in time: no wait for a source is that long.
 */
const BEGIN = `BEGIN;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = '15min';
  DO $$ BEGIN
    SET LOCAL client_connection_check_interval = '1s';
  EXCEPTION WHEN invalid_parameter_value OR undefined_object THEN NULL;
  END $$`

/** Half of a pool's connections are for transactions: readers, and what a transaction needs beside it, have the others. */
export const mostWriters = ({ options }: Pool) => Math.max(1, Math.floor(options.max / 2))

const limits = new WeakMap<Pool, LimitFunction>()

/**
 * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it rejects.
 * A connection that fails in between is closed, never returned to the pool.
 */
export function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const limit = limits.get(pool) ?? pLimit(mostWriters(pool))
  limits.set(pool, limit)
  return limit(() => transact(pool, work))
}

async function transact<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query(BEGIN)
    const result = await work(client)
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
