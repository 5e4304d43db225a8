import type { Reader } from '../../db/connect/reader.ts'
import { badArgument } from '../../errors.ts'
import type { Prisma } from '../../generated/prisma/client.ts'

/** The length of a bucket. Weeks start on Monday. All in UTC. */
export type Interval = 'day' | 'week' | 'month'

export const MAX_BUCKETS = 1000
/** The number of buckets of a series without `from`. */
export const DEFAULT_BUCKETS = 30

/** Whole buckets, in order. Dates are midnight UTC. */
export interface Span {
  interval: Interval
  starts: Date[]
  /** The first date after the last bucket. */
  end: Date
  /** A short key, equal for equal spans. */
  toJSON(): unknown
}

/** The first and the newest date of stored data. Null if none is stored. */
export type Extent = { first: Date; newest: Date } | null

/** Makes a reader of an extent from a statement that selects both dates. */
export const extentOf =
  (statement: Prisma.Sql) =>
  async (reader: Reader): Promise<Extent> => {
    const [row] = await reader.$queryRaw<{ first: Date | null; newest: Date }[]>(statement)
    return row?.first ? { first: row.first, newest: row.newest } : null
  }

/** The last millisecond of each bucket. */
export const endsOf = ({ interval, starts }: Span): string[] =>
  starts.map((start) => new Date(moved(interval, start, 1).getTime() - 1).toISOString())

/** The first date of the bucket that contains a time. */
export function bucketStart(interval: Interval, moment: Date): Date {
  const day = interval === 'week' ? moment.getUTCDate() - ((moment.getUTCDay() + 6) % 7) : moment.getUTCDate()
  return midnight(moment.getUTCFullYear(), moment.getUTCMonth(), interval === 'month' ? 1 : day)
}

/** The first date of the bucket `by` buckets after the one that starts on a date. */
export function moved(interval: Interval, start: Date, by: number): Date {
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()]
  return interval === 'month' ? midnight(year, month + by, day) : midnight(year, month, day + by * DAYS[interval])
}

/**
 * The buckets from the one that contains `from` to the one that contains `to`.
 * @param from defaults to a range of 30 buckets, or fewer if the data starts later, at `begun`
 * @throws BAD_INPUT if the range ends before it begins or has too many buckets
 */
export function spanOf(
  interval: Interval,
  { from, to, begun }: { from?: Date | null | undefined; to: Date; begun?: Date | undefined },
): Span {
  const last = bucketStart(interval, to)
  const usual = moved(interval, last, 1 - DEFAULT_BUCKETS)
  const earliest = begun && begun <= to ? bucketStart(interval, begun) : usual
  const first = from ? bucketStart(interval, from) : earliest > usual ? earliest : usual
  if (from && from > to) throw badArgument('from', 'must not be later than to')
  const starts: Date[] = []
  for (let start = first; start <= last; start = moved(interval, start, 1)) {
    if (starts.length === MAX_BUCKETS)
      throw badArgument('from', `must be at most ${MAX_BUCKETS} buckets before to: ${ADVICE[interval]}`)
    if (start.getUTCFullYear() > 0) starts.push(start)
  }
  const end = moved(interval, last, 1)
  return { interval, starts, end, toJSON: () => [interval, sqlDate(first), sqlDate(end)] }
}

/** Formats a date for SQL, also past the year 9999, where a span may end. */
export function sqlDate(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
}

const ADVICE = {
  day: 'ask for a shorter range, or for weeks',
  week: 'ask for a shorter range, or for months',
  month: 'ask for a shorter range',
}
const DAYS = { day: 1, week: 7 }

/** Date.UTC maps the years 0 to 99 to 1900 to 1999. */
function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date
}
