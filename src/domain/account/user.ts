import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact } from '../../db/lists/exact-sum.ts'
import { many, one } from '../../db/lists/filter.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

const addresses = columnsOf(Prisma.UserScalarFieldEnum, {
  address: { type: 'address', description: "The user's address.", sort: true },
})

/** All addresses that any record names, by address. */
export const users = listing({
  name: 'users',
  from: Prisma.sql`"user" t`,
  columns: addresses,
  order: { address: 'ASC' },
  filters: {
    address: one(addresses.address, 'Only the user at this address.'),
    addresses: many(addresses.address, 'Only users at one of these addresses.'),
  },
})

/** The stored columns of a user. 0 or null for a user without positions. */
export const accountColumns = columnsOf(Prisma.AccountScalarFieldEnum, {
  address: { sql: 'u.address', type: 'address' },
  points: { sql: pointsOf('coalesce(t.points, 0)'), type: 'decimal' },
  rank: { type: 'int', nullable: true },
  positionCount: { sql: 'coalesce(t.position_count, 0)', type: 'int' },
  firstDistributionDate: { type: 'date', nullable: true },
  lastDistributionDate: { type: 'date', nullable: true },
})

export type User = RowOf<typeof accountColumns>

const usd = (sql: string, description: string) =>
  ({ sql: `coalesce((${sql})::float8, 0)`, type: 'float', description }) as const
const NOW = "the user's positions on the newest distribution date, in USD"

/** The amounts of a user's positions on the newest distribution date. 0 without a position. */
export const userAmountColumns = columnsOf(
  {},
  {
    suppliedUsd: usd('now.supplied', `Borrowable supply of ${NOW}.`),
    protectedUsd: usd('now.protected', `Protected (non-borrowable) supply of ${NOW}.`),
    borrowedUsd: usd('now.borrowed', `Amount borrowed of ${NOW}.`),
    netWorthUsd: usd(
      'now.supplied + now.protected - now.borrowed',
      `Borrowable plus protected supply minus the amount borrowed of ${NOW}.`,
    ),
  },
)

export type UserAmounts = RowOf<typeof userAmountColumns>

const sumOfSides = (what: string) => `sum(${exact(`p.a_${what}_amount_usd`)} + ${exact(`p.b_${what}_amount_usd`)})`

/** Selects the exact amounts of a user's positions on a distribution date, as one row: null without a position. */
export const amountsOnSql = (user: string, date: string): Prisma.Sql =>
  Prisma.raw(`SELECT ${sumOfSides('supplied')} AS supplied, ${sumOfSides('protected_supplied')} AS protected,
    ${sumOfSides('borrowed')} AS borrowed
  FROM position p WHERE p.user_address = ${user} AND p.distribution_date = ${date} OFFSET 0`)

const amountsNow = Prisma.sql`LEFT JOIN LATERAL (
  ${amountsOnSql('u.address', '(SELECT max(date) FROM distribution)')}) now ON true`

/** All columns of a user. */
export const userColumns = { ...accountColumns, ...userAmountColumns }

/** Joins what the selected columns need to a user `u`. */
export const joinedToUser = (used: ReadonlySet<string>): Prisma.Sql =>
  Prisma.sql`LEFT JOIN account t ON t.user_address = u.address
    ${Object.keys(userAmountColumns).some((name) => used.has(name)) ? amountsNow : Prisma.empty}`
