import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { extentOf, type Interval, type Span, sqlDate } from './interval.ts'

/** The program's totals in a bucket with a distribution. */
export interface CalendarBucket {
  start: Date
  /** The bucket's last distribution date, of which its levels are. */
  lastDate: Date
  distributionCount: number
  points: number
  /** Accounts with a position on the last date. */
  userCount: number
}

const TRUNCATED = {
  day: (column: string) => `${column}::date`,
  week: (column: string) => `date_trunc('week', ${column}::timestamp)::date`,
  month: (column: string) => `date_trunc('month', ${column}::timestamp)::date`,
}

/** SQL for the first date of the bucket that contains the date or UTC timestamp `column`. */
export const bucketOf = (interval: Interval, column: string): Prisma.Sql => Prisma.raw(TRUNCATED[interval](column))

/** Condition that the date `column` is in a span. */
export function within(span: Span, column: string): Prisma.Sql {
  const [first] = span.starts
  if (!first) return Prisma.sql`false`
  const of = Prisma.raw(column)
  return Prisma.sql`${of} >= ${sqlDate(first)}::date AND ${of} < ${sqlDate(span.end)}::date`
}

/** A common table expression of the buckets with a distribution: first date and last distribution date. */
export const buckets = (span: Span): Prisma.Sql => Prisma.sql`bucket AS MATERIALIZED (
  SELECT ${bucketOf(span.interval, 'date')} AS start, max(date) AS last FROM distribution
  WHERE ${within(span, 'date')} GROUP BY 1)`

/** The buckets of a span with a distribution, in order. */
export function calendarOf(reader: Reader, span: Span): Promise<CalendarBucket[]> {
  return reader.$queryRaw<CalendarBucket[]>`
    SELECT ${bucketOf(span.interval, 'date')} AS start, max(date) AS "lastDate", count(*)::int AS "distributionCount",
      ${Prisma.raw(pointsOf('sum(total_points)'))} AS points, (array_agg(account_count ORDER BY date DESC))[1] AS "userCount"
    FROM distribution WHERE ${within(span, 'date')} GROUP BY 1 ORDER BY 1`
}

/** The first and the newest distribution date. Null if no positions are stored. */
export const programDates = extentOf(Prisma.sql`
    SELECT min(date) AS first, max(date) AS newest FROM distribution`)
