import type { Pool } from 'pg'
import { whileLocked } from '../../db/connect/lock.ts'
import { LOCKS } from '../../db/locks.ts'
import { GatewayError } from '../../errors.ts'
import { newestDistribution } from './freshness.ts'
import { type ManualUpdateDeps, manualUpdate } from './manual-update.ts'

/** Who asks for the runs of the daily job, in their records. */
export const SCHEDULE = 'schedule'

const DAY_MS = 86_400_000
/** How long after its first, second and third failure a date is tried again; then at the next tick. */
const RETRY_MS = [60_000, 5 * 60_000, 15 * 60_000]

export interface DailyDeps extends ManualUpdateDeps {
  /** At most how many dates are caught up at a time. */
  catchUp: number
  log: {
    debug(fields: object, message?: string): void
    info(fields: object, message?: string): void
    warn(fields: object, message?: string): void
  }
}

/** How far the dates of a tick are: all there, to be looked at again in a moment, or left to the next tick. */
export type DailyOutcome = 'done' | 'pending' | 'given up'

/**
 * Computes the dates that are due at a tick, in order: those after the newest stored one up to the tick's date, at most
 * `catchUp` of them, the newest ones; of an empty store the tick's date alone. A date that fails holds up those after
 * it. Of all gateways on the store one does it at a time, and all take the failures of each other into account: they are
 * in the record of the runs. Meant to be called often; it does nothing while nothing is to be done.
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
 * The dates that are due at a tick, in order, and those that are left out since they are too many.
 * @param newest the newest stored distribution date
 */
export function dueDates(newest: Date | null, tick: Date, catchUp: number): { dates: Date[]; left: Date[] } {
  const last = Math.floor(tick.getTime() / DAY_MS) * DAY_MS
  const first = newest ? newest.getTime() + DAY_MS : last
  const due: Date[] = []
  for (let at = first; at <= last; at += DAY_MS) due.push(new Date(at))
  return { dates: due.slice(-catchUp), left: due.slice(0, -catchUp) }
}

/** @param left dates before it that nobody will compute, to be told with its first try */
async function tryDate(deps: DailyDeps, date: Date, tick: Date, left: Date[]): Promise<DailyOutcome> {
  const { pool, log, now, signal } = deps
  const day = isoDay(date)
  const { failures, last } = await failuresOf(pool, day, tick)
  const pause = RETRY_MS[failures - 1]
  if (failures > 0 && pause === undefined) return 'given up'
  if (pause !== undefined && last && now().getTime() < last.getTime() + pause) return 'pending'
  if (failures === 0 && left.length > 0)
    log.warn({ dates: left.map(isoDay) }, 'too many distributions are missing: these dates are left out')
  try {
    const run = await manualUpdate(deps, date, SCHEDULE)
    log.info({ date: day, run: run.id, positions: run.positionCount }, 'computed the distribution of the day')
    return 'done'
  } catch (error) {
    signal?.throwIfAborted()
    const known = error instanceof GatewayError
    if (known && error.code === 'CONFLICT') {
      log.debug({ date: day, reason: error.message }, 'the distribution of the day is being computed')
      return 'pending'
    }
    const next = RETRY_MS[failures]
    log.warn(
      { date: day, ...(known ? { reason: error.message } : { err: error }), ...(next && { retryInMs: next }) },
      'the distribution of the day failed',
    )
    return 'pending'
  }
}

/** How often the job has failed with a date since a tick, on whichever gateway, and when it last began. */
async function failuresOf(pool: Pool, day: string, tick: Date): Promise<{ failures: number; last: Date | null }> {
  const { rows } = await pool.query<{ failures: number; last: Date | null }>(
    `SELECT count(*)::int AS failures, max(started_at) AS last FROM run
     WHERE date = $1 AND requested_by = $2 AND status = 'failed' AND started_at >= $3`,
    [day, SCHEDULE, tick],
  )
  return rows[0] ?? { failures: 0, last: null }
}

const isoDay = (date: Date) => date.toISOString().slice(0, 10)
