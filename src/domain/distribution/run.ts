import type { Pool, PoolClient } from 'pg'
import { cancelOnAbort } from '../../db/cancel.ts'
import { inTransaction } from '../../db/transaction.ts'
import { GatewayError } from '../../errors.ts'

/** What a run that recomputed a distribution did. */
export interface DistributionRun {
  /** Midnight UTC. */
  distributionDate: Date
  positionCount: number
  totalPoints: number
  startedAt: Date
  finishedAt: Date
}

/** One transaction, which the signal stops and rolls back. */
export function inRun<T>(
  { pool, signal }: { pool: Pool; signal: AbortSignal | undefined },
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, (client) => cancelOnAbort(pool, client, signal, () => work(client)))
}

const RUN_LOCK = 7_014_011

/**
 * Claims a date for this transaction's run; the claim ends with the transaction, however that ends.
 * @param date YYYY-MM-DD
 * @throws CONFLICT while another run has the date
 */
export async function claimDate(client: PoolClient, date: string): Promise<void> {
  const { rows } = await client.query<{ claimed: boolean }>(
    "SELECT pg_try_advisory_xact_lock($1, $2::date - date '2000-01-01') AS claimed",
    [RUN_LOCK, date],
  )
  if (!rows[0]?.claimed)
    throw new GatewayError('CONFLICT', `A run for ${date} is in progress. Wait for it to finish, then try again.`)
}

/** The run as its distribution was stored. */
export async function finishedRun(client: PoolClient, date: string, startedAt: Date): Promise<DistributionRun> {
  const { rows } = await client.query<{ position_count: number; total_points: number; finished_at: Date }>(
    'SELECT position_count, total_points, finished_at FROM distribution WHERE date = $1',
    [date],
  )
  const stored = rows[0]
  if (!stored) throw new Error(`no distribution was stored for ${date}`)
  return {
    distributionDate: new Date(date),
    positionCount: stored.position_count,
    totalPoints: stored.total_points,
    startedAt,
    finishedAt: stored.finished_at,
  }
}

/**
 * The date that a run is for, as YYYY-MM-DD.
 * @throws BAD_INPUT for a date that has not begun
 */
export function runDate(date: Date, now: Date): string {
  if (date > now) {
    const message = 'must not be in the future: a distribution is of a day that has begun, in UTC'
    throw new GatewayError('BAD_INPUT', `date ${message}.`, [{ in: 'query', name: 'date', message }])
  }
  return date.toISOString().slice(0, 10)
}
