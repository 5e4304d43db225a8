import type { Pool } from 'pg'
import { whileLocked } from '../../db/connect/lock.ts'
import { LOCKS } from '../../db/locks.ts'
import { GatewayError } from '../../errors.ts'
import { newestDistribution } from './freshness.ts'
import { type ManualUpdateDeps, manualUpdate } from './manual-update.ts'

/** The actor in the run records of the daily job. */
export const SCHEDULE = 'schedule'

const DAY_MS = 86_400_000
/** The delays before a failed date is retried. After the last retry it waits for the next tick. */
const RETRY_MS = [60_000, 5 * 60_000, 15 * 60_000]

export interface DailyDeps extends ManualUpdateDeps {
  /** The maximum number of missed dates to catch up with. */
  catchUp: number
  log: {
    debug(fields: object, message?: string): void
    info(fields: object, message?: string): void
    warn(fields: object, message?: string): void
  }
}

/** The state of a tick: all dates computed, to be retried soon, or left to the next tick. */
export type DailyOutcome = 'done' | 'pending' | 'given up'

/**
 * Computes the dates that are due at a tick, in order: the newest `catchUp` dates after the newest stored one up to the
 * tick's date, or only the tick's date in an empty store. A failed date blocks later ones. Only one gateway on a store
 * does so at a time, and failures count for all gateways, since run records are shared. It is cheap to call if nothing
 * is due.
 * @throws the signal's reason
 */
export async function computeDue(deps: DailyDeps, tick: Date): Promise<DailyOutcome> {
  const { pool, log, signal } = deps
  let outcome: DailyOutcome = 'done'
  if (dueDates(await newestDistribution(pool), tick, deps.catchUp).dates.length === 0) return outcome
  const ran = await whileLocked(pool, LOCKS.daily, async () => {
    const { dates, left } = dueDates(await newestDistribution(pool), tick, deps.catchUp)
    for (const date of dates) {
      signal?.throwIfAborted()
      outcome = await tryDate(deps, date, tick, date === dates[0] ? left : [])
      if (outcome !== 'done') return
    }
  })
  if (ran) return outcome
  log.debug({}, 'another gateway computes the distributions that are due')
  return 'pending'
}

/**
 * The dates that are due at a tick, in order, and older dates that are skipped because there are too many.
 * @param newest the newest stored distribution date
 */
export function dueDates(newest: Date | null, tick: Date, catchUp: number): { dates: Date[]; left: Date[] } {
  const last = Math.floor(tick.getTime() / DAY_MS) * DAY_MS
  const first = newest ? newest.getTime() + DAY_MS : last
  const due: Date[] = []
  for (let at = first; at <= last; at += DAY_MS) due.push(new Date(at))
  return { dates: due.slice(-catchUp), left: due.slice(0, -catchUp) }
}

/**
 * Computes a date, unless it must wait for a retry.
 * @param left skipped earlier dates, which are logged with the first attempt
 */
async function tryDate(deps: DailyDeps, date: Date, tick: Date, left: Date[]): Promise<DailyOutcome> {
  const { pool, log, now, signal } = deps
  const day = isoDay(date)
  const { failures, last } = await failuresOf(pool, day, tick)
  const pause = RETRY_MS[failures - 1]
  if (failures > 0 && pause === undefined) return 'given up'
  if (pause !== undefined && last && now().getTime() < last.getTime() + pause) return 'pending'
  if (failures === 0 && left.length > 0)
    log.warn({ dates: left.map(isoDay) }, 'too many distributions are missing: these dates are skipped')
  try {
    const run = await manualUpdate(deps, date, SCHEDULE)
    log.info({ date: day, run: run.id, positions: run.positionCount }, 'computed the distribution of the day')
    return 'done'
  } catch (error) {
    signal?.throwIfAborted()
    const isExpected = error instanceof GatewayError
    if (isExpected && error.code === 'CONFLICT') {
      log.debug({ date: day, reason: error.message }, 'the distribution of the day is being computed')
      return 'pending'
    }
    const next = RETRY_MS[failures]
    log.warn(
      { date: day, ...(isExpected ? { reason: error.message } : { err: error }), ...(next && { retryInMs: next }) },
      'the distribution of the day failed',
    )
    return 'pending'
  }
}

/** How often the job has failed for a date since a tick, on any gateway, and when it last started. */
async function failuresOf(pool: Pool, day: string, tick: Date): Promise<{ failures: number; last: Date | null }> {
  const { rows } = await pool.query<{ failures: number; last: Date | null }>(
    `SELECT count(*)::int AS failures, max(started_at) AS last FROM run
     WHERE date = $1 AND requested_by = $2 AND status = 'failed' AND started_at >= $3`,
    [day, SCHEDULE, tick],
  )
  return rows[0] ?? { failures: 0, last: null }
}

const isoDay = (date: Date) => date.toISOString().slice(0, 10)
