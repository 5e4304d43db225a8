import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'

const addresses = sqlColumns(Prisma.UserScalarFieldEnum, {
  address: {
    sql: 't.user_address',
    type: 'address',
    description: "The user's address.",
    sort: true,
  },
})

// The tables that have users, their worth and their points. `t` is the one whose users are listed.
const usersIn = (from: string, worth: 't' | 'w', account: 't' | 'a') =>
  listing({
    name: 'users',
    from: Prisma.raw(from),
    columns: addresses,
    order: { address: 'ASC' },
    filters: {
      addresses: rowFilters.many(addresses.address, 'Only users at one of these addresses.'),
      worthUsd: rowFilters.range(
        { sql: `${worth}.worth_usd`, type: 'float' },
        'Only users whose `worth { netUsd }` is in this range.',
      ),
      debtUsd: rowFilters.range(
        { sql: `${worth}.debt_usd`, type: 'float' },
        'Only users whose `worth { borrowedUsd }` is in this range.',
      ),
      totalPoints: rowFilters.range(
        { sql: doubleOf(`${account}.points`), type: 'float' },
        'Only users whose points are in this range.',
      ),
    },
    sortKeys: {
      WORTH_USD: {
        ...{ column: `${worth}.worth_usd`, field: 'worthUsd', type: 'float' },
        nullable: worth !== 't',
        description:
          'Sorts by `worth { netUsd }`. ' +
          'As the first key it leaves out users without worth and debt.',
      },
      DEBT_USD: {
        ...{ column: `${worth}.debt_usd`, field: 'debtUsd', type: 'float' },
        nullable: worth !== 't',
        description:
          'Sorts by `worth { borrowedUsd }`. As the first key it leaves out users without debt.',
      },
      TOTAL_POINTS: {
        // Nulls have a place among floats alone, and the index is of integers.
        ...(account === 't'
          ? { column: 't.rank', type: 'int' }
          : { column: 'a.rank::float8', type: 'float', nullable: true }),
        ...{ field: 'rank', inverse: true },
        description: 'Sorts by points. As the first key it leaves out users without positions.',
      },
    },
  })

const JOIN_WORTH = 'LEFT JOIN user_worth w ON w.user_address = t.user_address'
const JOIN_ACCOUNT = 'LEFT JOIN account a ON a.user_address = t.user_address'

/** All addresses that any record names, by address. */
export const users = usersIn(`"user" t ${JOIN_WORTH} ${JOIN_ACCOUNT}`, 'w', 'a')

const byWorth = usersIn(`user_worth t ${JOIN_ACCOUNT}`, 't', 'a')
const byDebt = usersIn(`(SELECT * FROM user_worth WHERE debt_usd > 0) t ${JOIN_ACCOUNT}`, 't', 'a')
const byPoints = usersIn(`account t ${JOIN_WORTH}`, 'w', 't')
const BY_KEY = new Map([
  ['WORTH_USD', byWorth],
  ['DEBT_USD', byDebt],
  ['TOTAL_POINTS', byPoints],
])

/** The users in an order: the table with its first key has an index in this order. */
export const usersBy = ([first]: readonly string[]) => BY_KEY.get(first ?? '') ?? users

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
