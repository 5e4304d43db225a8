import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, flag, many, one, range } from '../../db/lists/filter.ts'
import type { SortKeys } from '../../db/lists/sort.ts'

const conditions: Conditions = {
  chainId: one('t.chain_id', 'bigint', 'Only rewards on this chain.'),
  chainIds: many('t.chain_id', 'bigint', 'Only rewards on one of these chains.'),
  timestamp: range('t.timestamp', 'timestamp', 'Only rewards of liquidations in this time range, in Unix seconds.'),
  claimed: flag(
    't.claimed_timestamp IS NOT NULL',
    'Only rewards that the user has claimed (true) or not claimed (false).',
  ),
  claimedTimestamp: range(
    't.claimed_timestamp',
    'timestamp',
    'Only rewards claimed in this time range, in Unix seconds.',
  ),
  supplySentUsd: range(
    't.supply_sent_usd',
    'number',
    "Only rewards where the amount that the user's share repaid is in this range, in USD.",
  ),
  collateralReceivedUsd: range(
    't.collateral_received_usd',
    'number',
    "Only rewards where the collateral that the user's share received is in this range, in USD.",
  ),
  liquidRewardUsd: range('t.liquid_reward_usd', 'number', 'Only rewards whose reward part is in this range, in USD.'),
}

const usd = (column: string, field: string, description: string) =>
  ({ column, field, type: 'double precision', nullable: true, description }) as const

const keys: SortKeys = {
  TIMESTAMP: { column: 't.timestamp', field: 'timestamp', type: 'bigint', description: 'The time of the liquidation.' },
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain id.' },
  CLAIMED_TIMESTAMP: {
    column: 't.claimed_timestamp',
    field: 'claimedTimestamp',
    type: 'bigint',
    nullable: true,
    description: 'The time when the reward was claimed.',
  },
  SUPPLY_SENT_USD: usd('t.supply_sent_usd', 'supplySentUsd', "The amount that the user's share repaid, in USD."),
  COLLATERAL_RECEIVED_USD: usd(
    't.collateral_received_usd',
    'collateralReceivedUsd',
    "The collateral that the user's share received, in USD.",
  ),
  LIQUID_REWARD_USD: usd(
    't.liquid_reward_usd',
    'liquidRewardUsd',
    'The reward part of the received collateral, in USD.',
  ),
}

/** Filters and sort keys of rewards in markets. */
export const marketRewardChoices: Choices = {
  conditions: {
    market: one('t.collateral_market_id', 'address', 'Only rewards of this collateral market.'),
    markets: many('t.collateral_market_id', 'address', 'Only rewards of one of these collateral markets.'),
    debtMarket: one('t.debt_market_id', 'address', 'Only rewards of liquidations that repaid the debt of this market.'),
    ...conditions,
  },
  keys,
}

/** Filters and sort keys of rewards in vaults. */
export const vaultRewardChoices: Choices = {
  conditions: {
    vault: one('t.vault_id', 'address', 'Only rewards of this vault.'),
    vaults: many('t.vault_id', 'address', 'Only rewards of one of these vaults.'),
    ...conditions,
  },
  keys,
}
