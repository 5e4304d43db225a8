import { type PlainList, sqlFields } from 'pothos-sql'
import { accountColumns } from '../../../domain/account/user.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'

export const MAX_ADDRESSES = 1000

/** @throws BAD_INPUT if there are too many addresses */
export function assertAddresses(addresses: string[]): void {
  if (addresses.length > MAX_ADDRESSES)
    throw new GatewayError(
      'BAD_INPUT',
      `addresses must be at most ${MAX_ADDRESSES}: ask for the others in another request.`,
      [{ in: 'query', name: 'addresses', message: `must be at most ${MAX_ADDRESSES}` }],
    )
}

const usersAt: PlainList = {
  columns: accountColumns,
  by: [],
  from({ args: { addresses } }) {
    assertAddresses(addresses)
    // LIMIT makes the planner use the index.
    return Prisma.sql`FROM unnest(${addresses}::text[]) WITH ORDINALITY AS u(user_address, number)
      LEFT JOIN LATERAL (
        SELECT * FROM account a WHERE a.user_address = u.user_address LIMIT 1) t ON true
      ORDER BY u.number`
  },
}

export function addUserLookup(builder: Builder): void {
  builder.queryFields((t) => ({
    lookupUsers: t.field({
      type: ['User'],
      description: 'The users, in the order of their addresses. Every address is a user.',
      args: {
        addresses: t.arg({
          type: ['Address'],
          required: true,
          description: `The addresses, at most ${MAX_ADDRESSES}.`,
        }),
      },
      ...sqlFields.declare({ kind: 'list', list: usersAt }),
      resolve: (_, { addresses }) => {
        assertAddresses(addresses)
        return addresses.map((address) => ({ address }))
      },
    }),
  }))
}
