import type { Pool, PoolClient } from 'pg'
import { turns } from './turns.ts'

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
const halves = new WeakMap<Pool, ReturnType<typeof turns>>()

/**
 * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it rejects.
 * A connection that fails in between is closed, never returned to the pool.
 */
export function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const half = halves.get(pool) ?? turns(Math.max(1, Math.floor(pool.options.max / 2)))
  halves.set(pool, half)
  return half(() => transact(pool, work))
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
