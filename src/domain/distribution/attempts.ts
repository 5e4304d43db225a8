import type { Pool } from 'pg'
import { GatewayError } from '../../errors.ts'
import type { Subject } from './run-record.ts'

/** The actor in the run records of scheduled jobs. */
export const SCHEDULE = 'schedule'

// The delays before a failed run is retried. After the last retry it waits for the next tick.
const RETRY_MS = [60_000, 5 * 60_000, 15 * 60_000]

/** The state of a tick: all computed, to be retried soon, or left to the next tick. */
export type TickOutcome = 'done' | 'pending' | 'given up'

export interface AttemptDeps {
  pool: Pool
  now(): Date
  signal?: AbortSignal | undefined
  log: {
    debug(fields: object, message?: string): void
    info(fields: object, message?: string): void
    warn(fields: object, message?: string): void
  }
}

interface Attempt {
  subject: Subject
  tick: Date
  what: string
  fields: object
  run(isFirst: boolean): Promise<void>
}

/**
 * Runs what is due at a tick, unless it must wait for a retry.
 * @throws the signal's reason
 */
export async function attempt(
  { pool, now, signal, log }: AttemptDeps,
  { subject, tick, what, fields, run }: Attempt,
): Promise<TickOutcome> {
  const { failures, last } = await failuresOf(pool, subject, { tick, now: now() })
  const pause = RETRY_MS[failures - 1]
  if (failures > 0 && pause === undefined) return 'given up'
  if (pause !== undefined && last && now().getTime() < last.getTime() + pause) return 'pending'
  try {
    await run(failures === 0)
    return 'done'
  } catch (error) {
    signal?.throwIfAborted()
    const isCoded = error instanceof GatewayError
    if (isCoded && error.code === 'CONFLICT') {
      log.debug({ ...fields, reason: error.message }, `${what} is in progress`)
      return 'pending'
    }
    const next = RETRY_MS[failures]
    log.warn(
      {
        ...fields,
        ...(isCoded ? { reason: error.message } : { err: error }),
        ...(next && { retryInMs: next }),
      },
      `${what} failed`,
    )
    return 'pending'
  }
}

/** A tick, and the time at which what has run since it is counted. */
export interface Since {
  tick: Date
  now: Date
}

// The clocks of two gateways may differ by so much.
const SKEW_MS = 60_000

/**
 * SQL that runs `r` started since the tick $1 and until $2. A clock that was ahead has left starts
 * in the future, and starts that were later than this tick before runs that are recorded after
 * them: neither belongs to it.
 */
export const RUN_SINCE = `r.started_at >= $1 AND r.started_at <= $2
  AND NOT EXISTS (SELECT FROM run e
    WHERE e.id > r.id AND e.started_at < $1::timestamptz - interval '1 minute')`

export const sinceValues = ({ tick, now }: Since) => [tick, new Date(now.getTime() + SKEW_MS)]

// How often scheduled runs of a subject have failed since a tick, on any gateway, and when the last
// one started.
async function failuresOf(
  pool: Pool,
  { day, leg }: Subject,
  since: Since,
): Promise<{ failures: number; last: Date | null }> {
  const { rows } = await pool.query<{ failures: number; last: Date | null }>(
    `SELECT count(*)::int AS failures, max(started_at) AS last FROM run r
     WHERE (date = $3 OR leg = $4) AND requested_by = $5 AND status = 'failed' AND ${RUN_SINCE}`,
    [...sinceValues(since), day, leg, SCHEDULE],
  )
  return rows[0] ?? { failures: 0, last: null }
}
