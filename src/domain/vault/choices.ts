import type { Choices } from '../../db/lists/choices.ts'
import { many, one, range } from '../../db/lists/filter.ts'

/** Filters and sort keys of vaults. */
export const vaultChoices = {
  conditions: {
    vault: one('t.id', 'address', 'Only vaults at this address, on any chain.'),
    vaults: many('t.id', 'address', 'Only vaults at one of these addresses.'),
    asset: one('t.asset_address', 'address', 'Only vaults that lend this token.'),
    assets: many('t.asset_address', 'address', 'Only vaults that lend one of these tokens.'),
    chainId: one('t.chain_id', 'bigint', 'Only vaults on this chain.'),
    chainIds: many('t.chain_id', 'bigint', 'Only vaults on one of these chains.'),
    depositRate: range('t.deposit_rate', 'number', 'Only vaults whose deposit APR is in this range, as a fraction.'),
  },
  keys: {
    CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' },
    ADDRESS: { column: 't.id', field: 'id', type: 'text', description: "The vault's address." },
    NAME: { column: 't.name', field: 'name', type: 'text', description: "The vault's name, in code point order." },
    ASSET_SYMBOL: { column: 't.asset_symbol', field: 'assetSymbol', type: 'text', description: "The token's symbol." },
    DEPOSIT_RATE: {
      column: 't.deposit_rate',
      field: 'depositRate',
      type: 'double precision',
      description: 'The deposit APR.',
    },
  },
} satisfies Choices
