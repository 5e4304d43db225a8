import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsColumn } from '../points/millionths.ts'

const addresses = sqlColumns(Prisma.UserScalarFieldEnum, {
  address: {
    sql: 't.user_address',
    type: 'address',
    description: "The user's address.",
    sort: true,
  },
})

/** All addresses that any record names, by address. */
export const users = listing({
  name: 'users',
  from: Prisma.sql`"user" t`,
  columns: addresses,
  order: { address: 'ASC' },
  filters: {
    addresses: rowFilters.many(addresses.address, 'Only users at one of these addresses.'),
  },
})

/** The stored columns of a user. 0 or null for a user without positions. */
export const accountColumns = sqlColumns(Prisma.AccountScalarFieldEnum, {
  address: { sql: 'u.user_address', type: 'address' },
  points: pointsColumn('coalesce(t.points, 0)'),
  rank: { type: 'int', nullable: true },
  positionCount: { sql: 'coalesce(t.position_count, 0)', type: 'int' },
  firstDistributionDate: { type: 'date', nullable: true },
  lastDistributionDate: { type: 'date', nullable: true },
})

export type UserRow = RowOf<typeof accountColumns>

/** Joins the stored columns to a user `u`. */
export const JOINED_TO_USER = Prisma.sql`LEFT JOIN account t ON t.user_address = u.user_address`
