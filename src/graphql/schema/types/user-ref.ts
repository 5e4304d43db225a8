import {
  accountColumns,
  joinedToUser,
  type UserAmounts,
  type User as UserRow,
  userAmountColumns,
  userColumns,
} from '../../../domain/account/user.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { type KeyedRow, keyedRow, type One } from '../../plan/sql-field.ts'
import type { Builder } from '../builder.ts'

export const userRef = (builder: Builder) =>
  builder.prismaObject('User', {
    description:
      'A user of the protocol, in both domains. Every address is a user; one without stored data has empty lists and zero totals.',
  })
export type UserRef = ReturnType<typeof userRef>

const user: One = {
  columns: userColumns,
  types: ['text'],
  always: true,
  at: ([address], used) => Prisma.sql`FROM (SELECT ${address} AS address) u ${joinedToUser(used)}`,
}

/** Loads the user at an address. Every address is a user. */
export const userAt: KeyedRow<UserRow> = {
  ...keyedRow<UserRow>(user, accountColumns),
  stub: ([address]) => ({ address: address as string }),
}

/** Loads the amounts of the user at an address. */
export const userAmountsAt = keyedRow<UserAmounts>(user, userAmountColumns)
