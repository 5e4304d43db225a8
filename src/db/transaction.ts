import type { Pool, PoolClient } from 'pg'

/** A server that can tell looks every second whether the client is there: one that was killed keeps no lock. */
const BEGIN = `BEGIN;
  DO $$ BEGIN
    SET LOCAL client_connection_check_interval = '1s';
  EXCEPTION WHEN invalid_parameter_value OR undefined_object THEN NULL;
  END $$`

/**
 * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it rejects.
 * A connection that fails in between is closed, never returned to the pool.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
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
