import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range } from '../../db/lists/filter.ts'
import type { SortKey, SortKeys } from '../../db/lists/sort.ts'

const conditions: Conditions = {
  chainId: one('t.chain_id', 'bigint', 'Those on one chain.'),
  chainIds: many('t.chain_id', 'bigint', 'Those on any of these chains.'),
  entity: one('t.entity_id', 'address', 'The market or vault at this address.'),
  entities: many('t.entity_id', 'address', 'The markets and vaults at any of these addresses.'),
  entityType: one('t.entity_type', 'text', 'Markets, or vaults.'),
}

const keys: SortKeys = {
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' },
  ENTITY: {
    column: 't.entity_id',
    field: 'entityId',
    type: 'text',
    description: 'The address of the market or vault.',
  },
}

const number = (column: string, field: string, description: string): SortKey => ({
  column,
  field,
  type: 'double precision',
  description,
})

/** What a user's earnings can be filtered and sorted by. */
export const earningsChoices: Choices = {
  conditions: {
    ...conditions,
    currentValueUsd: range('t.current_value_usd', 'number', 'Those that are worth so much, USD.'),
    netCashInvestedUsd: range('t.net_cash_invested_usd', 'number', 'Those with so much money in, USD.'),
    earningsUsd: range('t.earnings_usd', 'number', 'Those that earned so much, USD.'),
  },
  keys: {
    ...keys,
    CURRENT_VALUE_USD: number('t.current_value_usd', 'currentValueUsd', 'What it is worth.'),
    NET_CASH_INVESTED_USD: number('t.net_cash_invested_usd', 'netCashInvestedUsd', 'The money that went in.'),
    EARNINGS_USD: number('t.earnings_usd', 'earningsUsd', 'What it earned.'),
  },
}

/** The same of a user's deposits and debts. */
export const netAprChoices: Choices = {
  conditions: {
    ...conditions,
    earnDepositUsd: range('t.deposit_usd', 'number', 'Those with so much that earns, USD.'),
    borrowUsd: range('t.debt_usd', 'number', 'Those with so much debt, USD.'),
  },
  keys: {
    ...keys,
    EARN_DEPOSIT_USD: number('t.deposit_usd', 'depositUsd', 'What earns, USD.'),
    DEPOSIT_RATE: number('t.deposit_rate', 'depositRate', 'What it earns.'),
    BORROW_USD: number('t.debt_usd', 'debtUsd', 'Debt, USD.'),
    BORROW_RATE: number('t.borrow_rate', 'borrowRate', 'What it costs.'),
  },
}
