import { GatewayError } from '../../../errors.ts'
import type { Builder } from '../builder.ts'
import type { UserRef } from './user.ts'

/** A bound on the addresses of one lookup. */
export const MAX_ADDRESSES = 1000

/** One of many texts that should each be an address. */
export interface Lookup {
  input: string
  /** In lower case; undefined: the text is none. */
  address: string | undefined
}

/**
 * Reads many texts as addresses.
 * @throws BAD_INPUT on too many of them; one that is no address is told in its place
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

/** Users by texts of which some may be wrong. */
export function addUserLookup(builder: Builder, { User }: { User: UserRef }) {
  const UserLookup = builder.objectRef<Lookup>('UserLookup').implement({
    description: 'What one of many texts, which should be addresses, leads to.',
    fields: (t) => ({
      input: t.exposeString('input', { description: 'The text.' }),
      problem: t.string({
        nullable: true,
        description: 'What is wrong with the text; null: it is an address.',
        resolve: ({ input, address }) => (address ? null : problem(input)),
      }),
      user: t.field({
        type: User,
        nullable: true,
        description:
          'The user at the address. Where the text is none this is null, with an error of this path; the others are answered.',
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
      description: 'Users by texts, in their order: one that is no address does not keep the others from an answer.',
      args: {
        addresses: t.arg.stringList({ required: true, description: `Texts, at most ${MAX_ADDRESSES}.` }),
      },
      resolve: (_, { addresses }) => readAddresses(addresses),
    }),
  }))
  return UserLookup
}

export type UserLookupRef = ReturnType<typeof addUserLookup>
