import type { Choices } from '../../db/choices.ts'
import { type Conditions, many, one, range } from '../../db/conditions.ts'
import type { SortKey, SortKeys } from '../../db/sorting.ts'

const conditions: Conditions = {
  chainId: one('chainId', 'bigint', 'Those on one chain.'),
  chainIds: many('chainId', 'bigint', 'Those on any of these chains.'),
  entity: one('entityId', 'address', 'The market or vault at this address.'),
  entities: many('entityId', 'address', 'The markets and vaults at any of these addresses.'),
  entityType: one('entityType', 'text', 'Markets, or vaults.'),
}

const keys: SortKeys = {
  CHAIN_ID: { column: 'chainId', field: 'chainId', type: 'bigint', description: 'The chain.' },
  ENTITY: { column: 'entityId', field: 'entityId', type: 'text', description: 'The address of the market or vault.' },
}

const number = (field: string, description: string): SortKey => ({
  column: field,
  field,
  type: 'double precision',
  description,
})

/** What a user's earnings can be filtered and sorted by: the columns are fields of the rows, which are no table's. */
export const earningsChoices: Choices = {
  conditions: {
    ...conditions,
    currentValueUsd: range('currentValueUsd', 'number', 'Those that are worth so much, USD.'),
    netCashInvestedUsd: range('netCashInvestedUsd', 'number', 'Those with so much money in, USD.'),
    earningsUsd: range('earningsUsd', 'number', 'Those that earned so much, USD.'),
  },
  keys: {
    ...keys,
    CURRENT_VALUE_USD: number('currentValueUsd', 'What it is worth.'),
    NET_CASH_INVESTED_USD: number('netCashInvestedUsd', 'The money that went in.'),
    EARNINGS_USD: number('earningsUsd', 'What it earned.'),
  },
}

/** The same of a user's deposits and debts. */
export const netAprChoices: Choices = {
  conditions: {
    ...conditions,
    earnDepositUsd: range('depositUsd', 'number', 'Those with so much that earns, USD.'),
    borrowUsd: range('debtUsd', 'number', 'Those with so much debt, USD.'),
  },
  keys: {
    ...keys,
    EARN_DEPOSIT_USD: number('depositUsd', 'What earns, USD.'),
    DEPOSIT_RATE: number('depositRate', 'What it earns.'),
    BORROW_USD: number('debtUsd', 'Debt, USD.'),
    BORROW_RATE: number('borrowRate', 'What it costs.'),
  },
}
