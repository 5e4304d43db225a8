import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

/** What vaults can be filtered and sorted by. */
export const vaultChoices = {
  conditions: {
    vault: one('t.id', 'address', 'Those at this address, on whatever chain.'),
    vaults: many('t.id', 'address', 'Those at any of these addresses.'),
    asset: one('t.asset_address', 'address', 'Those that lend this token.'),
    assets: many('t.asset_address', 'address', 'Those that lend any of these tokens.'),
    chainId: one('t.chain_id', 'bigint', 'Those of one chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Those of any of these chains.'),
    depositRate: range('t.deposit_rate', 'number', 'Those where a deposit earns so much, a fraction a year.'),
  },
  keys: {
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The vault's address." },
    NAME: { column: 't.name', field: 'name', type: 'text', description: 'The name, by its characters.' },
    ASSET_SYMBOL: { column: 't.asset_symbol', field: 'assetSymbol', type: 'text', description: "The token's symbol." },
    DEPOSIT_RATE: {
      column: 't.deposit_rate',
      field: 'depositRate',
      type: 'double precision',
      description: 'What a deposit earns.',
    },
  },
} satisfies Choices
