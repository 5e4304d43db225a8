import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

/** What markets can be filtered and sorted by. */
export const marketChoices = {
  conditions: {
    market: one('t.id', 'address', 'Those at this address, on whatever chain.'),
    markets: many('t.id', 'address', 'Those at any of these addresses.'),
    pool: one('t.pool_id', 'address', 'The sides of one pool.'),
    pools: many('t.pool_id', 'address', 'The sides of any of these pools.'),
    asset: one('t.asset_address', 'address', 'Those that lend this token.'),
    assets: many('t.asset_address', 'address', 'Those that lend any of these tokens.'),
    chainId: one('t.chain_id', 'bigint', 'Those of one chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Those of any of these chains.'),
    depositRate: range('t.deposit_rate', 'number', 'Those where a deposit earns so much, a fraction a year.'),
    borrowRate: range('t.borrow_rate', 'number', 'Those where a debt costs so much, a fraction a year.'),
  },
  keys: {
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The market's address." },
    ASSET_SYMBOL: { column: 't.asset_symbol', field: 'assetSymbol', type: 'text', description: "The token's symbol." },
    DEPOSIT_RATE: {
      column: 't.deposit_rate',
      field: 'depositRate',
      type: 'double precision',
      description: 'What a deposit earns.',
    },
    BORROW_RATE: {
      column: 't.borrow_rate',
      field: 'borrowRate',
      type: 'double precision',
      description: 'What a debt costs.',
    },
  },
} satisfies Choices
