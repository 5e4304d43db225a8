import type { Reader } from '../../db/connect/reader.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** The length of a bucket. Weeks start on Monday. All in UTC. */
export type Interval = 'day' | 'week' | 'month'

export const MAX_BUCKETS = 1000
/** The number of buckets of a series without `from`. */
export const DEFAULT_BUCKETS = 30

/** Whole buckets, as SQL of dates. Both are null without stored dates. */
export interface Span {
  interval: Interval
  /** The first date of the first bucket. */
  first: Prisma.Sql
  /** The first date after the last bucket. */
  end: Prisma.Sql
}

/** The arguments of a series that select its range. */
export interface Range {
  interval: Interval
  from?: Date | null
  to?: Date | null
}

/**
 * A query of the `first` and the `newest` UTC timestamp of stored data. Both are null if none is
 * stored.
 */
export type Extent = Prisma.Sql

/** Reads the newest moment of an extent. Null if nothing is stored. */
export async function newestOf(reader: Reader, extent: Extent): Promise<Date | null> {
  const [row] = await reader.$queryRaw<{ newest: Date | null }[]>`
    SELECT e.newest AT TIME ZONE 'UTC' AS newest FROM (${extent}) e WHERE e.first IS NOT NULL`
  return row?.newest ?? null
}

/** True if only what is stored decides whether a range has too many buckets. */
export const needsEnd = ({ from, to }: Range): boolean => Boolean(from) && !to

/** Ends a range at the newest moment, or at its beginning if that is later. */
export function endedAt<Values extends Range>(range: Values, newest: Date | null): Values {
  const { from } = range
  if (!newest || !from) return { ...range, from: null }
  return { ...range, to: from > newest ? from : newest }
}

function bucketStart(interval: Interval, moment: Date): Date {
  const day =
    interval === 'week' ? moment.getUTCDate() - ((moment.getUTCDay() + 6) % 7) : moment.getUTCDate()
  return midnight(moment.getUTCFullYear(), moment.getUTCMonth(), interval === 'month' ? 1 : day)
}

/** The first date of the bucket `by` buckets after the one that starts on a date. */
export function moved(interval: Interval, start: Date, by: number): Date {
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()]
  return interval === 'month'
    ? midnight(year, month + by, day)
    : midnight(year, month, day + by * DAYS[interval])
}

/**
 * The buckets from the one that contains `from` to the one that contains `to`, which defaults to
 * the newest stored moment. Without `from` there are 30, or fewer if the data starts later.
 * @param range with `to` if it has `from` (`endedAt`)
 * @throws BAD_INPUT if the range ends before it begins or has too many buckets
 */
export function spanOf({ interval, from, to }: Range, extent: Extent): Span {
  const truncated = (moment: string) => startSql(interval, moment)
  const step = Prisma.raw(STEPS[interval])
  if (!to) {
    const of = (sql: Prisma.Sql) =>
      Prisma.sql`(SELECT ${sql} FROM (${extent}) e WHERE e.first IS NOT NULL)`
    const newest = truncated('e.newest')
    const usual = Prisma.sql`(${newest} - ${DEFAULT_BUCKETS - 1}::int * ${step})::date`
    return {
      interval,
      first: of(Prisma.sql`greatest(${truncated('e.first')}, ${usual})`),
      end: of(Prisma.sql`(${newest} + ${step})::date`),
    }
  }
  const last = bucketStart(interval, to)
  const end = dateSql(moved(interval, last, 1))
  if (from) {
    assertLength(interval, from, to)
    return { interval, first: dateSql(bucketStart(interval, from)), end }
  }
  const usual = moved(interval, last, 1 - DEFAULT_BUCKETS)
  const earliest = dateSql(usual < FIRST_DATE ? FIRST_DATE : usual)
  const begun = Prisma.sql`SELECT greatest(${truncated('e.first')}, ${earliest}) FROM (${extent}) e
    WHERE e.first <= ${to.toISOString().slice(0, -1)}::timestamp`
  return { interval, first: Prisma.sql`coalesce((${begun}), ${earliest})`, end }
}

function assertLength(interval: Interval, from: Date, to: Date): void {
  if (from > to) throw badArgument('from', 'must not be later than to')
  const most = moved(interval, bucketStart(interval, from), MAX_BUCKETS)
  if (most <= to)
    throw badArgument(
      'from',
      `must be at most ${MAX_BUCKETS} buckets before to: ${ADVICE[interval]}`,
    )
}

/** SQL for the first date of the bucket that contains the date or UTC timestamp `column`. */
export const startSql = (interval: Interval, column: string): Prisma.Sql =>
  Prisma.raw(TRUNCATED[interval](column))

/** Condition that the date `column` is in a span. */
export const within = ({ first, end }: Span, column: string): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} >= ${first} AND ${Prisma.raw(column)} < ${end}`

/**
 * A FROM item of the buckets of a span: the first date of each, `start`, the first date after it,
 * `until`, and its last millisecond, `moment`.
 */
export function bucketsOf({ interval, first, end }: Span): Prisma.Sql {
  const step = Prisma.raw(STEPS[interval])
  return Prisma.sql`(SELECT day::date AS start, (day + ${step})::date AS until,
    (day + ${step}) AT TIME ZONE 'UTC' - interval '1 millisecond' AS moment
    FROM generate_series(${first}::timestamp, ${end}::timestamp - interval '1 day', ${step}) day)`
}

// A date for SQL, also past the year 9999, where a span may end.
function dateSql(date: Date): Prisma.Sql {
  const two = (part: number) => String(part).padStart(2, '0')
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  return Prisma.sql`${`${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`}::date`
}

const ADVICE = {
  day: 'ask for a shorter range, or for weeks',
  week: 'ask for a shorter range, or for months',
  month: 'ask for a shorter range',
}
const DAYS = { day: 1, week: 7 }
const STEPS = { day: "interval '1 day'", week: "interval '7 days'", month: "interval '1 month'" }
const TRUNCATED = {
  day: (column: string) => `${column}::date`,
  week: (column: string) => `date_trunc('week', ${column}::timestamp)::date`,
  month: (column: string) => `date_trunc('month', ${column}::timestamp)::date`,
}
// A Monday.
const FIRST_DATE = midnight(1, 0, 1)

// Date.UTC maps the years 0 to 99 to 1900 to 1999.
function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date
}
