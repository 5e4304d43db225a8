import type { UserRow } from '../../../domain/account/user.ts'
import { type Hit, search } from '../../../domain/search/search.ts'
import { badArgument } from '../../../errors.ts'
import type {
  Market as MarketRow,
  Pool as PoolRow,
  Vault as VaultRow,
} from '../../../generated/prisma/client.ts'
import type { GraphContext } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { marketAt } from './market.ts'
import { poolAt } from './pool.ts'
import { userAt } from './user-ref.ts'
import { vaultAt } from './vault.ts'

const MAX_HITS = 100
const MAX_TEXT = 100

export function addSearch(builder: Builder): void {
  const SearchMatch = builder.enumType('SearchMatch', {
    description: 'How a result matches the text, best match first.',
    values: {
      EXACT_ADDRESS: {
        description: 'The text is the address of the result or of one of its tokens.',
      },
      EXACT_NAME: {
        description: 'The text is its name, or the symbol or name of one of its tokens.',
      },
      PREFIX: { description: 'An address, a name or a symbol starts with the text.' },
      SUBSTRING: { description: 'A name or a symbol contains the text.' },
    },
  })

  const SearchItem = builder.unionType('SearchItem', {
    description: 'An object that a search can find.',
    types: ['Pool', 'Market', 'Vault', 'User'],
    resolveType(row) {
      if ('asset1Address' in row) return 'Pool'
      if ('positionCount' in row) return 'User'
      return 'poolAddress' in row ? 'Market' : 'Vault'
    },
  })

  const SearchResult = builder.objectRef<Hit>('SearchResult').implement({
    description: 'A pool, vault, market or user that matches the text.',
    fields: (t) => ({
      match: t.field({
        type: SearchMatch,
        description: 'How the item matches the text.',
        resolve: (hit) => hit.match,
      }),
      item: t.field({
        type: SearchItem,
        description: 'The pool, vault, market or user.',
        resolve: async (hit, _, context) => {
          const item = await load(context, hit)
          if (!item) throw new Error(`${hit.kind} ${hit.address} was found but is not there`)
          return item
        },
      }),
    }),
  })

  builder.queryFields((t) => ({
    search: t.field({
      type: [SearchResult],
      extensions: {
        cost: { weight: 200, most: MAX_HITS },
        unplanned: 'Its results are of four types, in one order.',
      },
      description:
        'Pools, vaults and markets by address, symbol or name, and users by address. An ' +
        'address may be cut short. The best match comes first; among equal ones pools come ' +
        'first, then vaults, markets and users, each by the length of their names. Case does ' +
        'not matter.',
      args: {
        text: t.arg.string({
          required: true,
          description: `The text, 1 to ${MAX_TEXT} characters. Spaces around it are ignored.`,
        }),
        chainId: t.arg({
          type: 'SafeInt',
          description: 'Only results on this chain. Users have no chain, so they are left out.',
        }),
        first: t.arg.int({
          defaultValue: 10,
          required: true,
          description: `Number of results to return, 0 to ${MAX_HITS}.`,
        }),
      },
      resolve: (_, { text, chainId, first }, context) => {
        const trimmed = text.trim()
        if (trimmed === '') throw badArgument('text', 'must not be empty')
        if (trimmed.length > MAX_TEXT)
          throw badArgument('text', `must be at most ${MAX_TEXT} characters`)
        if (trimmed.includes('\0')) throw badArgument('text', 'must not hold a NUL character')
        if (first < 0 || first > MAX_HITS)
          throw badArgument('first', `must be from 0 to ${MAX_HITS}`)
        return search(context.reader, { text: trimmed, chainId: chainId ?? null, first })
      },
    }),
  }))
}

function load(
  context: GraphContext,
  { kind, chainId, address }: Hit,
): Promise<PoolRow | MarketRow | VaultRow | UserRow | null> {
  const { batches } = context
  if (kind === 'user') return batches.load(userAt.load, [address])
  if (kind === 'pool') return batches.load(poolAt.load, [address])
  return batches.load<readonly unknown[], MarketRow | VaultRow | null, []>(
    (kind === 'market' ? marketAt : vaultAt).load,
    [chainId, address],
  )
}
