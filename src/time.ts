export const DAY_MS = 86_400_000

/** The last second of the year 9999, in Unix seconds. */
export const LAST_SECOND = 253_402_300_799

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|\+00:00))?$/

/**
 * Parses an ISO 8601 UTC date or timestamp. Returns undefined for anything else, including
 * impossible dates and year 0.
 */
export function parseUtc(text: string): Date | undefined {
  if (!ISO.test(text) || text.startsWith('0000')) return undefined
  const date = new Date(text)
  if (Number.isNaN(date.getTime()) || isoDay(date) !== text.slice(0, 10)) return undefined
  return date
}

/** YYYY-MM-DD of a moment in UTC. */
export const isoDay = (date: Date): string => date.toISOString().slice(0, 10)

/** The moment at which a date, YYYY-MM-DD, begins in UTC. */
export const midnight = (date: string): string => `${date}T00:00:00.000Z`
