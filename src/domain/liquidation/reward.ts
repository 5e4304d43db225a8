import { type Columns, columnsOf, type RowOf } from '../../db/lists/column.ts'
import { type Conditions, columnFilters, flag, many } from '../../db/lists/filter.ts'
import { type Listing, listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/holding.ts'

type Amount = 'supplySent' | 'collateralReceived' | 'liquidReward'

const amount = <Field extends Amount>(field: Field, description: string) =>
  ({ type: 'amount', description, tokens: { field, usd: `${field}Usd` } }) as const
const usd = { type: 'float', nullable: true, filter: true, sort: true } as const

/** The columns that all rewards share. A reward is a user's proportional share of one defaulting liquidation. */
export const rewardColumns = columnsOf(Prisma.VaultLiquidationRewardScalarFieldEnum, {
  chainId: { type: 'integer', description: 'The chain id.', sort: true },
  txHash: { type: 'text', description: 'The hash of the liquidation transaction.' },
  logIndex: { type: 'integer', description: 'The index of the liquidation event in its block.' },
  accountId: { type: 'address', field: 'userAddress', description: "The user's address." },
  timestamp: {
    type: 'timestamp',
    description: 'The time of the liquidation, in Unix seconds.',
    moment: { field: 'time', description: 'The time of the liquidation.' },
    filter: 'time',
    sort: 'TIME',
  },
  supplySent: amount('supplySent', "The amount of the debt token that the user's share repaid."),
  supplySentUsd: usd,
  collateralReceived: amount('collateralReceived', "The collateral that the user's share received."),
  collateralReceivedUsd: usd,
  liquidReward: amount('liquidReward', 'The reward part of the received collateral.'),
  liquidRewardUsd: usd,
  userRoi: {
    type: 'text',
    nullable: true,
    description: "The user's return on the liquidation, as a decimal number. Null if it is unknown.",
  },
  claimedTimestamp: {
    type: 'timestamp',
    nullable: true,
    description: 'When the user claimed the reward, in Unix seconds. Null if it has not been claimed.',
    moment: { field: 'claimedAt', description: 'When the user claimed the reward. Null if it has not been claimed.' },
    filter: 'claimedAt',
    sort: 'CLAIMED_AT',
  },
})

/** The same amount with the decimals of a market's asset. */
const inMarket = <Field extends Amount>(field: Field, market: 'debt' | 'collateral') => {
  const { tokens, description, ...column } = rewardColumns[field]
  return {
    ...column,
    description: `${description} \`decimals\` and \`value\` are null if the ${market} market is not stored.`,
    tokens: { ...tokens, decimals: { kind: 'market', entity: `${market}MarketId` } },
  } as const
}

const marketColumns = columnsOf(Prisma.MarketLiquidationRewardScalarFieldEnum, {
  ...rewardColumns,
  supplySent: inMarket('supplySent', 'debt'),
  collateralReceived: inMarket('collateralReceived', 'collateral'),
  liquidReward: inMarket('liquidReward', 'collateral'),
  debtMarketId: {
    type: 'address',
    field: 'debtMarketAddress',
    description: 'The address of the market whose debt was repaid.',
  },
  collateralMarketId: {
    type: 'address',
    field: 'collateralMarketAddress',
    description: 'The address of the market whose collateral was received.',
  },
})

const vaultColumns = columnsOf(Prisma.VaultLiquidationRewardScalarFieldEnum, {
  ...rewardColumns,
  vaultId: { type: 'address', field: 'vaultAddress', description: "The vault's address." },
})

export type LiquidationReward = RowOf<typeof rewardColumns>
export type MarketLiquidationReward = RowOf<typeof marketColumns>
export type VaultLiquidationReward = RowOf<typeof vaultColumns>

const shared = {
  chainIds: many(rewardColumns.chainId, 'Only rewards on one of these chains.'),
  claimed: flag(
    't.claimed_timestamp IS NOT NULL',
    'Only rewards that the user has claimed (true) or not claimed (false).',
  ),
}

const market = { sql: 't.market_id', type: 'address' } as const
const vault = { sql: 't.vault_id', type: 'address' } as const

/** Filters of all users' rewards of both kinds. A reward in a market has no `vault_id`, one in a vault no `market_id`. */
export const rewardFilters: Conditions = {
  users: many(rewardColumns.accountId, 'Only rewards of one of these users.'),
  markets: many(market, 'Only rewards of one of these collateral markets.'),
  debtMarkets: many(
    { sql: 't.debt_market_id', type: 'address' },
    'Only rewards of liquidations that repaid the debt of one of these markets.',
  ),
  vaults: many(vault, 'Only rewards of one of these vaults.'),
  ...shared,
  ...columnFilters(rewardColumns),
}

/** One user's rewards of a kind, newest first. */
const rewardsOf = <Row>(kind: EntityType, columns: Columns<Row>, filters: Conditions) =>
  listing<Columns>({
    name: `${kind}LiquidationRewards`,
    from: Prisma.raw(`${kind}_liquidation_reward t`),
    columns,
    order: { timestamp: 'DESC', logIndex: 'DESC', txHash: 'ASC', chainId: 'ASC' },
    filters: { ...filters, ...shared },
  }) as Listing<Row>

export const marketLiquidationRewards = rewardsOf<MarketLiquidationReward>('market', marketColumns, {
  markets: many(marketColumns.collateralMarketId, 'Only rewards of one of these collateral markets.'),
  debtMarkets: many(
    marketColumns.debtMarketId,
    'Only rewards of liquidations that repaid the debt of one of these markets.',
  ),
})

export const vaultLiquidationRewards = rewardsOf<VaultLiquidationReward>('vault', vaultColumns, {
  vaults: many(vaultColumns.vaultId, 'Only rewards of one of these vaults.'),
})
