import type { Pool, PoolClient } from 'pg'

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
    await client.query('BEGIN')
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
