import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, many, one, range } from '../../db/lists/filter.ts'
import type { SortKey, SortKeys } from '../../db/lists/sort.ts'

const conditions: Conditions = {
  chainId: one('t.chain_id', 'bigint', 'Only entities on this chain.'),
  chainIds: many('t.chain_id', 'bigint', 'Only entities on one of these chains.'),
  entity: one('t.entity_id', 'address', 'Only the market or vault at this address.'),
  entities: many('t.entity_id', 'address', 'Only markets and vaults at one of these addresses.'),
  entityType: one('t.entity_type', 'text', 'Only entities of this type.'),
}

const keys: SortKeys = {
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' },
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

/** Filters and sort keys of a user's earnings. */
export const earningsChoices: Choices = {
  conditions: {
    ...conditions,
    currentValueUsd: range(
      't.current_value_usd',
      'number',
      'Only entities whose current value is in this range, in USD.',
    ),
    netCashInvestedUsd: range(
      't.net_cash_invested_usd',
      'number',
      'Only entities whose net cash invested is in this range, in USD.',
    ),
    earningsUsd: range('t.earnings_usd', 'number', 'Only entities whose earnings are in this range, in USD.'),
  },
  keys: {
    ...keys,
    CURRENT_VALUE_USD: number('t.current_value_usd', 'currentValueUsd', 'The current value, in USD.'),
    NET_CASH_INVESTED_USD: number('t.net_cash_invested_usd', 'netCashInvestedUsd', 'The net cash invested, in USD.'),
    EARNINGS_USD: number('t.earnings_usd', 'earningsUsd', 'The earnings, in USD.'),
  },
}

/** Filters and sort keys of a user's deposits and debts. */
export const netAprChoices: Choices = {
  conditions: {
    ...conditions,
    earnDepositUsd: range(
      't.deposit_usd',
      'number',
      'Only entities whose interest-earning deposit is in this range, in USD.',
    ),
    borrowUsd: range('t.debt_usd', 'number', 'Only entities whose debt is in this range, in USD.'),
  },
  keys: {
    ...keys,
    EARN_DEPOSIT_USD: number('t.deposit_usd', 'depositUsd', 'The interest-earning deposit, in USD.'),
    DEPOSIT_RATE: number('t.deposit_rate', 'depositRate', 'The deposit APR.'),
    BORROW_USD: number('t.debt_usd', 'debtUsd', 'The debt, in USD.'),
    BORROW_RATE: number('t.borrow_rate', 'borrowRate', 'The borrow APR.'),
  },
}
