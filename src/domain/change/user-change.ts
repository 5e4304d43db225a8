import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { amountsOnSql } from '../account/user.ts'
import { pointsOf } from '../points/millionths.ts'
import { SINCE, sinceSql, usdChange } from './since.ts'

const amount = (of: (row: string) => string, what: string) =>
  usdChange(`coalesce(${of('now')}, 0) - coalesce(${of('past')}, 0)`, `the user's ${what}`)

const amountColumns = {
  suppliedUsd: amount((row) => `${row}.supplied`, 'borrowable supply'),
  protectedUsd: amount((row) => `${row}.protected`, 'protected (non-borrowable) supply'),
  borrowedUsd: amount((row) => `${row}.borrowed`, 'debt'),
  netWorthUsd: amount(
    (row) => `${row}.supplied + ${row}.protected - ${row}.borrowed`,
    'net worth: borrowable plus protected supply minus debt',
  ),
}

/** What changed for a user between two distribution dates. An amount is 0 on a date without a position. */
export const userChangeColumns = columnsOf(
  {},
  {
    since: SINCE,
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
        'By how many ranks the user has risen (positive) or fallen (negative). Null if the user had no stored position at `since`, or while the ranks of that date are recomputed.',
    },
    ...amountColumns,
  },
)

export type UserChange = RowOf<typeof userChangeColumns>

/** The FROM clause for `userChangeColumns`. No row without a distribution date so many days before the newest one. */
export const userChangeSql = (user: Prisma.Sql, days: Prisma.Sql, used: ReadonlySet<string>): Prisma.Sql => {
  const amounts = Object.keys(amountColumns).some((name) => used.has(name))
    ? Prisma.sql`LEFT JOIN LATERAL (${amountsOnSql('t.address', 't.newest')}) now ON true
        LEFT JOIN LATERAL (${amountsOnSql('t.address', 't.since')}) past ON true`
    : Prisma.empty
  return Prisma.sql`FROM (SELECT ${user} AS address, d.* FROM (${sinceSql(days)}) d) t ${amounts}`
}
