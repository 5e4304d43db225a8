import { DAY_MS } from '../../time.ts'
import { readCron } from '../distribution/cron.ts'

const HOUR_MS = 3_600_000
/** Data is late so many hours after it was expected. */
export const LATE_HOURS = 12

/** When data is expected, and whether it is late. */
export interface Expected {
  expectedAt: Date
  late: boolean
}

/**
 * The distribution after the newest one. It is expected when the daily job computes its date or, without one, at its midnight.
 */
export function nextDistribution(newest: Date, cron: string | undefined, now: Date): Expected & { date: Date } {
  const date = new Date(newest.getTime() + DAY_MS)
  return { date, ...expected((cron && readCron(cron).firstFrom(date)) || date, now) }
}

/** The records after the newest ones of a chain, of which there are some every day. */
export const nextRecords = (newest: Date, now: Date): Expected => expected(new Date(newest.getTime() + DAY_MS), now)

/**
 * The update of a leg after the newest one. It is expected at the tick after it or, without a schedule, a day after it.
 */
export function nextUpdate(newest: Date, cron: string | undefined, now: Date): Expected {
  // A clock that was ahead may have left a later one.
  const last = newest > now ? now : newest
  return expected((cron && readCron(cron).firstFrom(last)) || new Date(last.getTime() + DAY_MS), now)
}

const expected = (expectedAt: Date, now: Date): Expected => ({
  expectedAt,
  late: now.getTime() > expectedAt.getTime() + LATE_HOURS * HOUR_MS,
})
