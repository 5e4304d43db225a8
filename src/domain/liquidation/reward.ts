import type { Filter, Listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** A user's proportional share of the reward of one defaulting liquidation. */
export interface LiquidationReward {
  chainId: bigint
  txHash: string
  logIndex: bigint
  accountId: string
  timestamp: bigint
  supplySent: string
  supplySentUsd: number | null
  collateralReceived: string
  collateralReceivedUsd: number | null
  liquidReward: string
  liquidRewardUsd: number | null
  userRoi: string | null
  claimedTimestamp: bigint | null
}

export interface MarketLiquidationReward extends LiquidationReward {
  debtMarketId: string
  collateralMarketId: string
}

export interface VaultLiquidationReward extends LiquidationReward {
  vaultId: string
}

const columns = {
  chainId: 't.chain_id',
  txHash: 't.tx_hash',
  logIndex: 't.log_index',
  accountId: 't.account_id',
  timestamp: 't.timestamp',
  supplySent: 't.supply_sent::text',
  supplySentUsd: 't.supply_sent_usd',
  collateralReceived: 't.collateral_received::text',
  collateralReceivedUsd: 't.collateral_received_usd',
  liquidReward: 't.liquid_reward::text',
  liquidRewardUsd: 't.liquid_reward_usd',
  userRoi: 't.user_roi',
  claimedTimestamp: 't.claimed_timestamp',
}

const order: Listing<LiquidationReward>['order'] = [
  { column: 't.timestamp', field: 'timestamp', type: 'bigint', direction: 'DESC' },
  { column: 't.log_index', field: 'logIndex', type: 'bigint', direction: 'DESC' },
  { column: 't.tx_hash', field: 'txHash', type: 'text', direction: 'ASC' },
  { column: 't.chain_id', field: 'chainId', type: 'bigint', direction: 'ASC' },
]

/** One user's rewards in markets, newest first. */
export const marketLiquidationRewards: Listing<MarketLiquidationReward> = {
  name: 'marketLiquidationRewards',
  from: Prisma.sql`market_liquidation_reward t`,
  columns: { ...columns, debtMarketId: 't.debt_market_id', collateralMarketId: 't.collateral_market_id' },
  order,
}

/** One user's rewards in vaults, newest first. */
export const vaultLiquidationRewards: Listing<VaultLiquidationReward> = {
  name: 'vaultLiquidationRewards',
  from: Prisma.sql`vault_liquidation_reward t`,
  columns: { ...columns, vaultId: 't.vault_id' },
  order,
}

/** Rewards on a chain and of an entity: the collateral market, or the vault. */
export function rewardFilter(
  kind: 'market' | 'vault',
  { chainId, entity }: { chainId?: number | null; entity?: string | null },
): Filter {
  const where: Prisma.Sql[] = []
  if (typeof chainId === 'number') where.push(Prisma.sql`t.chain_id = ${chainId}::bigint`)
  if (typeof entity === 'string')
    where.push(Prisma.sql`t.${Prisma.raw(kind === 'market' ? 'collateral_market' : 'vault')}_id = ${entity}`)
  return { where }
}
