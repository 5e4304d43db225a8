import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { type EntityType, listByKind, placeColumns } from '../holding/place.ts'

// Rewards of a kind in the shape of both. A reward's entity is the collateral market or the vault.
const rewardsFrom = (kind: EntityType) =>
  `SELECT '${kind}' AS entity_type, chain_id, tx_hash, log_index, user_address, timestamp,
    ${kind === 'market' ? 'collateral_market_id' : 'vault_id'} AS entity_id,
    ${kind === 'market' ? 'debt_market_id' : 'NULL::text'} AS debt_market_id, supply_sent,
      supply_sent_usd,
    collateral_received, collateral_received_usd, liquid_reward, liquid_reward_usd, user_roi,
      claimed_timestamp
  FROM ${kind}_liquidation_reward`

const decimalsIn = (market: string) =>
  `(SELECT e.asset_decimals FROM market e WHERE e.chain_id = t.chain_id AND e.id = ${market})`

const amount = (field: string, sql: string, decimals: string, description: string) =>
  ({
    sql: `t.${sql}`,
    type: 'amount',
    description:
      `${description} \`decimals\` and \`value\` are null in a vault, ` +
      'whose token is not stored.',
    tokens: { field, usd: `${field}Usd`, decimals },
  }) as const
const usd = (sql: string) =>
  ({ sql: `t.${sql}_usd`, type: 'float', nullable: true, filter: true, sort: true }) as const

export const rewardColumns = sqlColumns({
  ...placeColumns,
  entityId: {
    sql: 't.entity_id',
    type: 'address',
    field: 'entityAddress',
    description: 'The address of the market with the received collateral, or vault.',
  },
  debtMarketId: {
    sql: 't.debt_market_id',
    type: 'address',
    nullable: true,
    field: 'debtMarketAddress',
    description: 'The address of the market whose debt was repaid. Null in a vault.',
  },
  txHash: {
    sql: 't.tx_hash',
    type: 'text',
    description: 'The hash of the liquidation transaction.',
  },
  logIndex: {
    sql: 't.log_index',
    type: 'integer',
    description: 'The index of the liquidation event in its block.',
  },
  userAddress: { sql: 't.user_address', type: 'address' },
  timestamp: {
    sql: 't.timestamp',
    type: 'timestamp',
    moment: { field: 'time', description: 'The time of the liquidation.' },
    filter: 'time',
    sort: 'TIME',
  },
  supplySent: amount(
    'supplySent',
    'supply_sent',
    'debtDecimals',
    "The amount of the debt token that the user's share repaid.",
  ),
  supplySentUsd: usd('supply_sent'),
  collateralReceived: amount(
    'collateralReceived',
    'collateral_received',
    'collateralDecimals',
    "The collateral that the user's share received.",
  ),
  collateralReceivedUsd: usd('collateral_received'),
  liquidReward: amount(
    'liquidReward',
    'liquid_reward',
    'collateralDecimals',
    'The reward part of the received collateral.',
  ),
  liquidRewardUsd: usd('liquid_reward'),
  userRoi: {
    sql: 't.user_roi',
    type: 'text',
    nullable: true,
    description: "The user's return on it as a decimal number. Null if unknown.",
  },
  claimedTimestamp: {
    sql: 't.claimed_timestamp',
    type: 'timestamp',
    nullable: true,
    moment: {
      field: 'claimedAt',
      description: 'When the user claimed the reward. Null if it has not been claimed.',
    },
    filter: 'claimedAt',
    sort: 'CLAIMED_AT',
  },
  debtDecimals: { sql: decimalsIn('t.debt_market_id'), type: 'int', nullable: true },
  collateralDecimals: { sql: decimalsIn(placeColumns.marketId.sql), type: 'int', nullable: true },
})

/** A user's proportional share of one defaulting liquidation, in a market or a vault. */
export type LiquidationReward = RowOf<typeof rewardColumns>

export const rewardsWhere = listByKind((kinds) =>
  listing({
    name: 'liquidationRewards',
    from: Prisma.raw(`(${kinds.map(rewardsFrom).join(' UNION ALL ')}) t`),
    columns: rewardColumns,
    order: {
      timestamp: 'DESC',
      logIndex: 'DESC',
      txHash: 'ASC',
      chainId: 'ASC',
      userAddress: 'ASC',
      entityType: 'ASC',
    },
    filters: {
      users: rowFilters.many(rewardColumns.userAddress, 'Only rewards of one of these users.'),
      entities: rowFilters.many(
        rewardColumns.entityId,
        'Only rewards of one of these collateral markets and vaults.',
      ),
      entityTypes: rowFilters.many(
        rewardColumns.entityType,
        'Only rewards in entities of one of these kinds.',
      ),
      debtMarkets: rowFilters.many(
        rewardColumns.debtMarketId,
        'Only rewards for the repaid debt of one of these markets.',
      ),
      chainIds: rowFilters.many(rewardColumns.chainId, 'Only rewards on one of these chains.'),
      claimed: rowFilters.flag(
        't.claimed_timestamp IS NOT NULL',
        'Only rewards that the user has claimed (true) or not claimed (false).',
      ),
    },
  }),
)

export const liquidationRewards = rewardsWhere()
