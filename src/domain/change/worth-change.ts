import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { selectList } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Holder, oneOwner } from '../holding/holding.ts'
import { type Worth, worthColumns, worthFrom } from '../holding/worth.ts'

const INCOMPLETE = 'now."hasIncompletePrices" OR past."hasIncompletePrices"'

const change = (name: keyof Worth, what: string) =>
  ({
    sql: `CASE WHEN NOT (${INCOMPLETE}) THEN ${toDouble(`${exact(`now."${name}"`)} - ${exact(`past."${name}"`)}`)} END`,
    type: 'float',
    nullable: true,
    description: `Change of ${what}, in USD. Null if \`hasIncompletePrices\`.`,
  }) as const

/** By how much a user's worth has changed since the end of a date. */
export const worthChangeColumns = columnsOf(
  {},
  {
    hasIncompletePrices: {
      sql: INCOMPLETE,
      type: 'boolean',
      description: 'True if the price of an amount other than 0 was missing, then or now.',
    },
    netUsd: change('netUsd', 'net worth'),
    suppliedUsd: change('suppliedUsd', 'the borrowable supply in markets'),
    protectedUsd: change('protectedUsd', 'the protected (non-borrowable) supply in markets'),
    borrowedUsd: change('borrowedUsd', 'the amount borrowed'),
    vaultsUsd: change('vaultsUsd', 'the assets in vaults'),
    marketsUsd: change('marketsUsd', 'net worth in markets'),
  },
)

export type WorthChange = RowOf<typeof worthChangeColumns>

/** The FROM clause for `worthChangeColumns`. No row unless a snapshot is stored now and one up to the end of the date. */
export function worthChangeSql(user: Prisma.Sql, date: Prisma.Sql): Prisma.Sql {
  const worth = (asOf?: Prisma.Sql) => {
    const holder: Holder = { owners: oneOwner(Prisma.raw('since.address')), chainId: Prisma.raw('NULL::bigint'), asOf }
    return Prisma.sql`LATERAL (SELECT ${selectList(worthColumns)} ${worthFrom(holder)})`
  }
  return Prisma.sql`FROM (SELECT ${user} AS address, (${date} + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 second' AS moment) since
    CROSS JOIN ${worth()} now CROSS JOIN ${worth(Prisma.raw('since.moment'))} past
    WHERE now.time IS NOT NULL AND past.time IS NOT NULL`
}
