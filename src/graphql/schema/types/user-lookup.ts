import { GatewayError } from '../../../errors.ts'
import type { Builder } from '../builder.ts'
import type { UserRef } from './user-ref.ts'

/** The maximum number of addresses in one lookup. */
export const MAX_ADDRESSES = 1000

/** One input of a lookup, which may be an invalid address. */
export interface Lookup {
  input: string
  /** In lower case. Undefined if the input is not an address. */
  address: string | undefined
}

/**
 * Parses texts as addresses. An invalid one yields an entry without an address.
 * @throws BAD_INPUT if there are too many
 */
export function readAddresses(texts: string[]): Lookup[] {
  if (texts.length > MAX_ADDRESSES)
    throw new GatewayError(
      'BAD_INPUT',
      `addresses must be at most ${MAX_ADDRESSES}: ask for the others in another request.`,
      [{ in: 'query', name: 'addresses', message: `must be at most ${MAX_ADDRESSES}` }],
    )
  return texts.map((input) => ({ input, address: /^0x[0-9a-fA-F]{40}$/.test(input) ? input.toLowerCase() : undefined }))
}

const problem = (input: string) =>
  `An address is 0x and 40 hexadecimal digits, not ${JSON.stringify(input.slice(0, 100))}.`

/** Adds a lookup of users that tolerates invalid addresses. */
export function addUserLookup(builder: Builder, { User }: { User: UserRef }) {
  const UserLookup = builder.objectRef<Lookup>('UserLookup').implement({
    description: 'The result of looking up one address.',
    fields: (t) => ({
      input: t.exposeString('input', { description: 'The address as given.' }),
      problem: t.string({
        nullable: true,
        description: 'The fault of the address. Null if it is valid.',
        resolve: ({ input, address }) => (address ? null : problem(input)),
      }),
      user: t.field({
        type: User,
        nullable: true,
        description: 'The user at the address. Null, with an error at this path, if the address is invalid.',
        resolve: ({ input, address }) => {
          if (!address) throw new GatewayError('BAD_INPUT', problem(input))
          return { address }
        },
      }),
    }),
  })

  builder.queryFields((t) => ({
    lookupUsers: t.field({
      type: [UserLookup],
      description:
        'Users by address, in the order of the addresses. An invalid address gets an entry whose `problem` says why; the others are answered.',
      args: {
        addresses: t.arg.stringList({ required: true, description: `The addresses, at most ${MAX_ADDRESSES}.` }),
      },
      extensions: { unplanned: 'An invalid address is an error among the answers for the others.' },
      resolve: (_, { addresses }) => readAddresses(addresses),
    }),
  }))
  return UserLookup
}

export type UserLookupRef = ReturnType<typeof addUserLookup>
