import { type RowOf, sqlColumns } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Holder, oneOwner } from '../holding/holding.ts'
import { worthColumns, worthFrom } from '../holding/worth.ts'

/** By how much a user's net worth has changed since the end of a date. */
export const worthChangeColumns = sqlColumns({
  netWorthUsd: {
    sql: `CASE WHEN NOT (now."hasIncompletePrices" OR past."hasIncompletePrices")
        THEN ${toDouble(`${exact('now."netUsd"')} - ${exact('past."netUsd"')}`)} END`,
    type: 'float',
    nullable: true,
  },
})

export type WorthChange = RowOf<typeof worthChangeColumns>

/**
 * The FROM clause for `worthChangeColumns`. No row unless a snapshot is stored now and one up to
 * the end of the date.
 */
export function worthChangeSql(user: Prisma.Sql, date: Prisma.Sql): Prisma.Sql {
  const worth = (asOf?: Prisma.Sql) => {
    const holder: Holder = {
      owners: oneOwner(Prisma.raw('since.address')),
      chainId: Prisma.raw('NULL::bigint'),
      asOf,
    }
    return Prisma.sql`LATERAL (SELECT ${selectList(worthColumns)} ${worthFrom(holder)})`
  }
  return Prisma.sql`FROM (
      SELECT ${user} AS address,
        (${date} + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 second' AS moment) since
    CROSS JOIN ${worth()} now CROSS JOIN ${worth(Prisma.raw('since.moment'))} past
    WHERE now.time IS NOT NULL AND past.time IS NOT NULL`
}
