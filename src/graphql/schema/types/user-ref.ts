import { defineLookup } from 'pothos-sql'
import { accountColumns, JOINED_TO_USER, type UserRow } from '../../../domain/account/user.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { ModelLookup } from '../relation.ts'

const user = defineLookup({
  columns: accountColumns,
  types: ['text'],
  always: true,
  at: (address) => Prisma.sql`FROM (SELECT ${address} AS user_address) u ${JOINED_TO_USER}`,
  stub: ([address]) => ({ address: address as string }),
})

/** The options of a field with the user of a row. */
export const userField = { type: 'User', description: 'The user.' } as const

/** Loads the user at an address. Every address is a user. */
export const userAt: ModelLookup<UserRow> = { ...user, model: 'User', key: ['address'] }
