export const DAY_MS = 86_400_000

/** The last second of the year 9999, in Unix seconds. */
export const LAST_SECOND = 253_402_300_799

/** YYYY-MM-DD of a moment in UTC. */
export const isoDay = (date: Date): string => date.toISOString().slice(0, 10)

/** True for YYYY-MM-DD of a date that exists, from the year 1 on. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && isoDay(date) === text
}
