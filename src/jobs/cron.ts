import { Cron } from 'croner'

/** The moments that a cron pattern names, in UTC. */
export interface Ticks {
  /** The last one up to a moment, to the minute; undefined: there was none. */
  lastUntil(moment: Date): Date | undefined
}

const MINUTE_MS = 60_000

/**
 * Reads a pattern of five fields: minute, hour, day of the month, month, day of the week.
 * @throws Error that says what is wrong with it
 */
export function readCron(pattern: string): Ticks {
  if (!/^\s*\S+(\s+\S+){4}\s*$/.test(pattern)) throw new Error('it does not have five fields')
  const cron = new Cron(pattern.trim(), { mode: '5-part', timezone: 'UTC', paused: true })
  if (cron.nextRun() === null) throw new Error('its moment never comes')
  return {
    lastUntil(moment) {
      const minute = Math.floor(moment.getTime() / MINUTE_MS) * MINUTE_MS
      return cron.previousRuns(1, new Date(minute + MINUTE_MS))[0]
    },
  }
}
