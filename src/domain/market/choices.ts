import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

/** Filters and sort keys of markets. */
export const marketChoices = {
  conditions: {
    market: one('t.id', 'address', 'Only markets at this address, on any chain.'),
    markets: many('t.id', 'address', 'Only markets at one of these addresses.'),
    pool: one('t.pool_id', 'address', 'Only the sides of this pool.'),
    pools: many('t.pool_id', 'address', 'Only the sides of one of these pools.'),
    asset: one('t.asset_address', 'address', 'Only markets that lend this token.'),
    assets: many('t.asset_address', 'address', 'Only markets that lend one of these tokens.'),
    chainId: one('t.chain_id', 'bigint', 'Only markets on this chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Only markets on one of these chains.'),
    depositRate: range('t.deposit_rate', 'number', 'Only markets whose deposit APR is in this range, as a fraction.'),
    borrowRate: range('t.borrow_rate', 'number', 'Only markets whose borrow APR is in this range, as a fraction.'),
  },
  keys: {
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The market's address." },
    ASSET_SYMBOL: { column: 't.asset_symbol', field: 'assetSymbol', type: 'text', description: "The token's symbol." },
    DEPOSIT_RATE: {
      column: 't.deposit_rate',
      field: 'depositRate',
      type: 'double precision',
      description: 'The deposit APR.',
    },
    BORROW_RATE: {
      column: 't.borrow_rate',
      field: 'borrowRate',
      type: 'double precision',
      description: 'The borrow APR.',
    },
  },
} satisfies Choices
