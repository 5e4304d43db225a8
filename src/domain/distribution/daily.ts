import type { Pool } from 'pg'
import { whileLocked } from '../../db/connect/lock.ts'
import { LOCKS } from '../../db/locks.ts'
import { DAY_MS, isoDay } from '../../time.ts'
import { datesInSeasons } from '../season/admit-date.ts'
import { type AttemptDeps, attempt, SCHEDULE, type TickOutcome } from './attempts.ts'
import { datesBetween, newestDate } from './dates.ts'
import { type ManualUpdateDeps, manualUpdate } from './manual-update.ts'

interface DailyDeps extends ManualUpdateDeps, Omit<AttemptDeps, keyof ManualUpdateDeps> {
  catchUp: number
}

/**
 * Computes the dates that are due at a tick, in order: the newest `catchUp` dates after the newest
 * stored one, both up to the tick's date, or only the tick's date in an empty store. A failed date
 * blocks later ones. Only one gateway on a store does so at a time, and failures count for all
 * gateways, since run records are shared. It is cheap to call if nothing is due.
 * @throws the signal's reason
 */
export async function computeDue(deps: DailyDeps, tick: Date): Promise<TickOutcome> {
  const { pool, log, signal } = deps
  let outcome: TickOutcome = 'done'
  const due = async () =>
    // A clock that was ahead, or an import, may have left later dates than the tick's.
    inSeasons(pool, dueDates(await newestDate(pool, tick), tick, deps.catchUp))
  if ((await due()).dates.length === 0) return outcome
  const ran = await whileLocked(pool, LOCKS.daily, async () => {
    const { dates, left } = await due()
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
 * The dates that are due at a tick, in order, and older dates that are skipped because there are
 * too many.
 */
export function dueDates(
  newest: Date | null,
  tick: Date,
  catchUp: number,
): { dates: Date[]; left: Date[] } {
  const last = new Date(isoDay(tick))
  const first = newest ? new Date(newest.getTime() + DAY_MS) : last
  const due = datesBetween(first, last)
  return { dates: due.slice(-catchUp), left: due.slice(0, -catchUp) }
}

// Leaves out the dates outside of every season, if there are seasons.
async function inSeasons(pool: Pool, { dates, left }: { dates: Date[]; left: Date[] }) {
  if (dates.length === 0) return { dates, left }
  const admitted = await datesInSeasons(pool, [...left, ...dates].map(isoDay))
  const isAdmitted = (date: Date) => admitted.has(isoDay(date))
  return { dates: dates.filter(isAdmitted), left: left.filter(isAdmitted) }
}

// `left`: skipped earlier dates, which are logged with the first attempt.
function tryDate(deps: DailyDeps, date: Date, tick: Date, left: Date[]): Promise<TickOutcome> {
  const { log } = deps
  const day = isoDay(date)
  return attempt(deps, {
    subject: { day },
    tick,
    what: 'the distribution of the day',
    fields: { date: day },
    async run(isFirst) {
      if (isFirst && left.length > 0)
        log.warn(
          { dates: left.map(isoDay) },
          'too many distributions are missing: these dates are skipped',
        )
      const run = await manualUpdate(deps, date, SCHEDULE)
      log.info(
        { date: day, run: run.id, positions: run.positionCount },
        'computed the distribution of the day',
      )
    },
  })
}
