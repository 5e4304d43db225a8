import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { many, one } from '../../db/lists/filter.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { latest, oneOwner } from '../holding/holding.ts'
import { pointsOf } from '../points/millionths.ts'

const addresses = columnsOf(Prisma.UserScalarFieldEnum, {
  address: { type: 'address', description: "The user's address.", sort: true },
})

/** All addresses that any record names, by address. */
export const allUsers = listing({
  name: 'users',
  from: Prisma.sql`"user" t`,
  columns: addresses,
  order: { address: 'ASC' },
  filters: {
    user: one(addresses.address, 'Only the user at this address.'),
    users: many(addresses.address, 'Only users at one of these addresses.'),
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

/** All columns of a user. Holdings are computed from the newest snapshots. */
export const userColumns = {
  ...accountColumns,
  latestMarkets: { sql: 'm.snapshots' },
  latestVaults: { sql: 'v.snapshots' },
}

const owner = oneOwner(Prisma.raw('u.address'))
const latestMarkets = Prisma.sql`LEFT JOIN LATERAL (${latest('market', owner)}) m ON true`
const latestVaults = Prisma.sql`LEFT JOIN LATERAL (${latest('vault', owner)}) v ON true`

/** Joins what the selected columns need to a user `u`. */
export const joinedToUser = (used: ReadonlySet<string>): Prisma.Sql =>
  Prisma.sql`LEFT JOIN account t ON t.user_address = u.address
    ${used.has('latestMarkets') ? latestMarkets : Prisma.empty}
    ${used.has('latestVaults') ? latestVaults : Prisma.empty}`
