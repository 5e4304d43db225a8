import { defineLookup } from 'pothos-sql'
import {
  accountColumns,
  JOINED_TO_USER,
  type User as UserRow,
} from '../../../domain/account/user.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { ModelLookup } from '../relation.ts'

const user = defineLookup<UserRow>({
  columns: accountColumns,
  types: ['text'],
  always: true,
  at: (address) => Prisma.sql`FROM (SELECT ${address} AS user_address) u ${JOINED_TO_USER}`,
  stub: ([address]) => ({ address: address as string }),
})

/** Loads the user at an address. Every address is a user. */
export const userAt: ModelLookup<UserRow> = { ...user, model: 'User', key: ['address'] }
