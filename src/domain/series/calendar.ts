import { sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { bucketsOf, type Extent, type Span, startSql, within } from './interval.ts'

/** The columns of every bucket over `calendar`. A gap is a bucket without a distribution. */
export const calendarColumns = sqlColumns({
  start: { sql: 'bucket.start', type: 'date', description: "The bucket's first date." },
  lastDate: {
    sql: 'program.last',
    type: 'date',
    nullable: true,
    description: 'The last distribution date: that of its positions. Null in a gap.',
  },
  distributionCount: {
    sql: 'coalesce(program.dates, 0)',
    type: 'int',
    description: 'Number of distribution dates in the bucket. 0 in a gap.',
  },
})

/**
 * A query of the buckets of a span with a distribution: `start`, and the `last` distribution date.
 */
export const lastDates = (span: Span): Prisma.Sql => Prisma.sql`
  SELECT ${startSql(span.interval, 'date')} AS start, max(date) AS last FROM distribution
  WHERE ${within(span, 'date')} GROUP BY 1`

/**
 * FROM items of all buckets of a span, `bucket`, with the totals of the `program`, which are null
 * in a gap.
 */
export const calendar = (span: Span): Prisma.Sql => Prisma.sql`${bucketsOf(span)} bucket
  LEFT JOIN (
    SELECT ${startSql(span.interval, 'date')} AS start, max(date) AS last,
      count(*)::int AS dates, sum(total_points) AS points,
      (array_agg(account_count ORDER BY date DESC))[1] AS user_count
    FROM distribution WHERE ${within(span, 'date')} GROUP BY 1) program
    ON program.start = bucket.start`

/** SQL of a value that is null in a gap. */
export const ofLastDate = (sql: string) => `CASE WHEN program.last IS NOT NULL THEN ${sql} END`

export const programDates: Extent = Prisma.sql`
  SELECT min(date)::timestamp AS first, max(date)::timestamp AS newest FROM distribution`
