import { GatewayError } from '../../../errors.ts'
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
      extensions: { unplanned: 'It loads users that are in no table.' },
      resolve: (_, { addresses }) => {
        assertAddresses(addresses)
        return addresses.map((address) => ({ address }))
      },
    }),
  }))
}
