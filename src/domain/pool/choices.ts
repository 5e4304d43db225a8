import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

const TOKENS = ['t.asset_1_address', 't.asset_2_address']

/** What pools can be filtered and sorted by. */
export const poolChoices = {
  conditions: {
    pool: one('t.id', 'address', 'The one at this address.'),
    pools: many('t.id', 'address', 'Those at any of these addresses.'),
    market: one(['t.unit_1_id', 't.unit_2_id'], 'address', 'The one with this market as a side.'),
    asset: one(TOKENS, 'address', 'Those with this token on either side.'),
    assets: many(TOKENS, 'address', 'Those with any of these tokens on either side.'),
    chainId: one('t.chain_id', 'bigint', 'Those of one chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Those of any of these chains.'),
    marketId: one('t.market_id', 'bigint', 'Those with this number in the protocol.'),
    createdTimestamp: range('t.created_timestamp', 'timestamp', 'Those created then.'),
  },
  keys: {
    MARKET_ID: { column: 't.market_id', field: 'marketId', type: 'bigint', description: "The pool's number." },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The pool's address." },
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' },
    NAME: { column: 't.name', field: 'name', type: 'text', description: 'The name, by its characters.' },
    CREATED_TIMESTAMP: {
      column: 't.created_timestamp',
      field: 'createdTimestamp',
      type: 'bigint',
      description: 'When it was created.',
    },
  },
} satisfies Choices
