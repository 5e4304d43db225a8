import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

const TOKENS = ['t.asset_1_address', 't.asset_2_address']

/** Filters and sort keys of pools. */
export const poolChoices = {
  conditions: {
    pool: one('t.id', 'address', 'Only the pool at this address.'),
    pools: many('t.id', 'address', 'Only pools at one of these addresses.'),
    market: one(['t.unit_1_id', 't.unit_2_id'], 'address', 'Only the pool that this market is a side of.'),
    asset: one(TOKENS, 'address', 'Only pools with this token on either side.'),
    assets: many(TOKENS, 'address', 'Only pools with one of these tokens on either side.'),
    chainId: one('t.chain_id', 'bigint', 'Only pools on this chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Only pools on one of these chains.'),
    marketId: one('t.market_id', 'bigint', 'Only pools with this number in the protocol.'),
    createdTimestamp: range(
      't.created_timestamp',
      'timestamp',
      'Only pools created in this time range, in Unix seconds.',
    ),
  },
  keys: {
    MARKET_ID: { column: 't.market_id', field: 'marketId', type: 'bigint', description: "The pool's number." },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The pool's address." },
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' },
    NAME: { column: 't.name', field: 'name', type: 'text', description: "The pool's name, in code point order." },
    CREATED_TIMESTAMP: {
      column: 't.created_timestamp',
      field: 'createdTimestamp',
      type: 'bigint',
      description: 'When the pool was created.',
    },
  },
} satisfies Choices
