import type { Choices } from '../../db/lists/choices.ts'
import { type Conditions, flag, many, one, range } from '../../db/lists/filter.ts'
import type { SortKeys } from '../../db/lists/sort.ts'

const conditions: Conditions = {
  chainId: one('t.chain_id', 'bigint', 'Those of one chain.'),
  chainIds: many('t.chain_id', 'bigint', 'Those of any of these chains.'),
  timestamp: range('t.timestamp', 'timestamp', 'Those that happened then, Unix seconds.'),
  claimed: flag('t.claimed_timestamp IS NOT NULL', 'Whether the user has claimed it.'),
  claimedTimestamp: range('t.claimed_timestamp', 'timestamp', 'Those that were claimed then, Unix seconds.'),
  supplySentUsd: range('t.supply_sent_usd', 'number', "Those where the user's share paid so much, USD."),
  collateralReceivedUsd: range('t.collateral_received_usd', 'number', "Those where the user's share got so much, USD."),
  liquidRewardUsd: range('t.liquid_reward_usd', 'number', 'Those with a reward of so much, USD.'),
}

const usd = (column: string, field: string, description: string) =>
  ({ column, field, type: 'double precision', nullable: true, description }) as const

const keys: SortKeys = {
  TIMESTAMP: { column: 't.timestamp', field: 'timestamp', type: 'bigint', description: 'When it happened.' },
  CHAIN_ID: { column: 't.chain_id', field: 'chainId', type: 'bigint', description: 'The chain.' },
  CLAIMED_TIMESTAMP: {
    column: 't.claimed_timestamp',
    field: 'claimedTimestamp',
    type: 'bigint',
    nullable: true,
    description: 'When it was claimed.',
  },
  SUPPLY_SENT_USD: usd('t.supply_sent_usd', 'supplySentUsd', "What the user's share paid in USD."),
  COLLATERAL_RECEIVED_USD: usd(
    't.collateral_received_usd',
    'collateralReceivedUsd',
    "What the user's share got in USD.",
  ),
  LIQUID_REWARD_USD: usd('t.liquid_reward_usd', 'liquidRewardUsd', 'The reward in USD.'),
}

/** What rewards in markets can be filtered and sorted by. */
export const marketRewardChoices: Choices = {
  conditions: {
    market: one('t.collateral_market_id', 'address', 'Those of one collateral market.'),
    markets: many('t.collateral_market_id', 'address', 'Those of any of these collateral markets.'),
    debtMarket: one('t.debt_market_id', 'address', 'Those where the debt of this market was repaid.'),
    ...conditions,
  },
  keys,
}

/** What rewards in vaults can be filtered and sorted by. */
export const vaultRewardChoices: Choices = {
  conditions: {
    vault: one('t.vault_id', 'address', 'Those of one vault.'),
    vaults: many('t.vault_id', 'address', 'Those of any of these vaults.'),
    ...conditions,
  },
  keys,
}
