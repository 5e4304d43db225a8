import { accountColumns, joinedToUser, type User as UserRow, userColumns } from '../../../domain/account/user.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { type KeyedRow, keyedRow } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'

export const userRef = (builder: Builder) =>
  builder.prismaObject('User', {
    description:
      'A user of the protocol, in both domains. Every address is a user; one without stored data has empty lists and zero totals.',
  })
export type UserRef = ReturnType<typeof userRef>

/** Loads the user at an address. Every address is a user. */
export const userAt: KeyedRow<UserRow> = {
  ...keyedRow<UserRow>(
    {
      columns: userColumns,
      types: ['text'],
      always: true,
      at: ([address], used) => Prisma.sql`FROM (SELECT ${address} AS address) u ${joinedToUser(used)}`,
    },
    accountColumns,
  ),
  stub: ([address]) => ({ address: address as string }),
}
