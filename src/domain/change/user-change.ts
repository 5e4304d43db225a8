import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { SINCE, sinceSql } from './since.ts'

export const userChangeColumns = sqlColumns({
  since: SINCE,
  address: { sql: 't.address', type: 'address' },
  points: {
    sql: pointsOf(`coalesce((SELECT sum(d.points) FROM account_day d
        WHERE d.user_address = t.address AND d.distribution_date > t.since), 0)`),
    type: 'decimal',
    description: 'The points that the user got after `since`.',
  },
  rank: {
    sql: `(SELECT s.rank - a.rank FROM account a JOIN rank_history s
        ON s.user_address = a.user_address AND s.distribution_date = t.since
          AND EXISTS (SELECT FROM rank_history_date r WHERE r.date = t.since)
        WHERE a.user_address = t.address)`,
    type: 'int',
    nullable: true,
    description:
      'By how many ranks the user has risen (positive) or fallen (negative). Null if the user ' +
      'had no stored position at `since`, or while the ranks of that date are recomputed.',
  },
})

export type UserChange = RowOf<typeof userChangeColumns>

/**
 * The FROM clause for `userChangeColumns`. No row without a distribution date so many days before
 * the newest one.
 */
export const userChangeSql = (user: Prisma.Sql, days: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM (SELECT ${user} AS address, d.* FROM (${sinceSql(days)}) d) t`
