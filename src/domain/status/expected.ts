import { DAY_MS } from '../../time.ts'
import { readCron } from '../distribution/cron.ts'

/** Data is late so many hours after it was expected. */
export const LATE_HOURS = 12
const LATE_MS = LATE_HOURS * 3_600_000

/** When data is expected, and whether it is late. */
export interface Expected {
  expectedAt: Date
  late: boolean
}

/**
 * The time of the request, and when the store was loaded first: nothing was expected before that.
 */
export interface Clock {
  now: Date
  loadedAt: Date | null
}

/**
 * The distribution after the newest one. It is expected when the daily job computes its date or,
 * without one, at its midnight.
 */
export function nextDistribution(
  newest: Date,
  cron: string | undefined,
  clock: Clock,
): Expected & { date: Date } {
  const date = dayAfter(newest)
  const tickFrom = (from: Date) => (cron && readCron(cron).firstFrom(from)) || undefined
  return { date, ...sinceLoaded(tickFrom(date) ?? date, clock, tickFrom) }
}

/**
 * The next records of a chain that has some every day.
 * @param wholeDay true if they are of a day that has ended
 */
export const nextRecords = (newest: Date, wholeDay: boolean, clock: Clock): Expected =>
  sinceLoaded(new Date(newest.getTime() + (wholeDay ? 2 : 1) * DAY_MS), clock)

/** Chains, and when they were loaded: null for one that ended before others, which is late. */
export function withLoad<Row extends { time: Date | null }>(chains: Row[], loadedAt: Date | null) {
  const limit = new Date(Math.max(...chains.map(({ time }) => Number(time))) - DAY_MS - LATE_MS)
  return chains.map((one) => ({ ...one, loadedAt: (one.time ?? limit) < limit ? null : loadedAt }))
}

// Records that were due before the store was loaded are expected at the next tick after that or,
// without a schedule, a day after it.
function sinceLoaded(
  due: Date,
  { now, loadedAt }: Clock,
  tickFrom?: (from: Date) => Date | undefined,
): Expected {
  if (!loadedAt || due >= loadedAt) return expected(due, now)
  return expected(tickFrom?.(loadedAt) ?? dayAfter(loadedAt), now)
}

const dayAfter = (date: Date) => new Date(date.getTime() + DAY_MS)

/**
 * The update of a leg after the newest one. It is expected at the tick after it or, without a
 * schedule, a day after it.
 */
export function nextUpdate(newest: Date, cron: string | undefined, now: Date): Expected {
  // A clock that was ahead may have left a later one.
  const last = newest > now ? now : newest
  return expected((cron && readCron(cron).firstFrom(last)) || dayAfter(last), now)
}

const expected = (expectedAt: Date, now: Date): Expected => ({
  expectedAt,
  late: now.getTime() > expectedAt.getTime() + LATE_MS,
})
