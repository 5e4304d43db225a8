import { Prisma } from '../../generated/prisma/client.ts'

/** The maximum number of days that a change may span. */
export const MAX_DAYS = 3660

/**
 * Selects the newest distribution date as `newest`, and the last one at least `days` days before it
 * as `since`, as one row. No row without a date that long before.
 */
export const sinceSql = (days: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT n.newest, l.since FROM (SELECT max(date) AS newest FROM distribution) n
  CROSS JOIN LATERAL (SELECT max(date) AS since FROM distribution
    WHERE date <= n.newest - ${days}::int) l
  WHERE l.since IS NOT NULL`

export const SINCE = {
  sql: 't.since',
  type: 'date',
  description: 'The distribution date with which the newest one is compared.',
} as const
