import type { Pool, PoolClient } from 'pg'

/**
 * Runs `work` on a client so that a signal ends it at once: the statement that is running then is cancelled from
 * another connection, and the result is a rejection with the signal's reason.
 */
export async function cancelOnAbort<T>(
  pool: Pool,
  client: PoolClient,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  let cancelling: Promise<unknown> | undefined
  const cancel = () => {
    cancelling = pool.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {})
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const result = await work()
    signal.throwIfAborted()
    return result
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', cancel)
    // The connection must not go on to other work with a cancel still on its way.
    await cancelling
  }
}
