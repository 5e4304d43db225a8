import { Cron } from 'croner'

// The times that a cron pattern matches, in UTC.
interface Ticks {
  /** The last match at or before a time, to the minute. Undefined if there was none. */
  lastUntil(moment: Date): Date | undefined
  /** The first match at or after a time. Undefined without a match. */
  firstFrom(moment: Date): Date | undefined
}

const MINUTE_MS = 60_000

/**
 * Reads a pattern of five fields: minute, hour, day of the month, month, day of the week.
 * @throws Error that says what is wrong with the pattern
 */
export function readCron(pattern: string): Ticks {
  if (!/^\s*\S+(\s+\S+){4}\s*$/.test(pattern)) throw new Error('it does not have five fields')
  const cron = new Cron(pattern.trim(), { mode: '5-part', timezone: 'UTC', paused: true })
  if (cron.nextRun() === null) throw new Error('it never matches')
  return {
    lastUntil(moment) {
      const minute = Math.floor(moment.getTime() / MINUTE_MS) * MINUTE_MS
      return cron.previousRuns(1, new Date(minute + MINUTE_MS))[0]
    },
    firstFrom: (moment) => cron.nextRun(new Date(moment.getTime() - 1000)) ?? undefined,
  }
}
