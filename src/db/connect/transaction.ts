import pLimit, { type LimitFunction } from 'p-limit'
import type { Pool, PoolClient, PoolOptions } from 'pg'
import { isLostConnection, unknownOutcome } from '../faults.ts'
import { cancelOnAbort } from './cancel.ts'
import type { StorePoolOptions } from './client.ts'

// Writes have no time limit. If it can, the server checks every second that the client is
// connected, so that a killed one loses its locks. A hanging client loses its locks later than any
// wait for a source.
const begin = (
  mode = 'ISOLATION LEVEL READ COMMITTED',
  { lockTimeoutMs = 0 }: StorePoolOptions,
) => `BEGIN ${mode};
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = ${lockTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = '15min';
  DO $$ BEGIN
    SET LOCAL client_connection_check_interval = '1s';
  EXCEPTION WHEN invalid_parameter_value OR undefined_object THEN NULL;
  END $$`

/**
 * The maximum number of concurrent transactions: half of a pool. The rest is for reads and single
 * statements.
 */
export const mostWriters = ({ options }: Pool) => Math.max(1, Math.floor(options.max / 2))

const limits = new WeakMap<Pool, LimitFunction>()

export interface TransactionOptions {
  pool: Pool
  /** Cancels the running statement, and rolls back. */
  signal?: AbortSignal | undefined
  mode?: 'ISOLATION LEVEL REPEATABLE READ' | 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
}

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. A connection
 * that fails is closed, not returned to the pool.
 */
export function inTransaction<T>(
  options: TransactionOptions,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const { pool } = options
  const limit = limits.get(pool) ?? pLimit(mostWriters(pool))
  limits.set(pool, limit)
  return limit(() => transact(options, work))
}

async function transact<T>(
  { pool, signal, mode }: TransactionOptions,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    const options: PoolOptions & StorePoolOptions = pool.options
    await client.query(begin(mode, options))
    const result = await cancelOnAbort(client, signal, () => work(client))
    await client.query('COMMIT').catch((error: unknown) => {
      throw mode === undefined && isLostConnection(error) ? unknownOutcome() : error
    })
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
