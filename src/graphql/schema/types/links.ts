import { one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import type { ActivityRefs } from './activity.ts'
import type { EarningsRefs } from './earnings.ts'
import type { RewardRefs } from './liquidation-reward.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type MultiplierRef, multiplierAt } from './multiplier.ts'
import { type PoolRef, poolAt } from './pool.ts'
import type { SnapshotRefs } from './snapshot.ts'
import { type UserRef, userAt } from './user-ref.ts'
import { type VaultRef, vaultAt } from './vault.ts'

type Refs = {
  User: UserRef
  Pool: PoolRef
  Multiplier: MultiplierRef
  Market: MarketRef
  Vault: VaultRef
} & ActivityRefs &
  SnapshotRefs &
  RewardRefs &
  EarningsRefs

/**
 * Adds the fields that link pools to their markets, and analytics records to users, markets and vaults. Each field uses a
 * loader, so it takes one statement for any number of rows.
 */
export function addLinks(builder: Builder, refs: Refs): void {
  const { User, Pool, Multiplier, Market, Vault } = refs
  builder.prismaObjectFields(Pool, (t) => ({
    marketA: t.field({
      type: Market,
      nullable: true,
      description: 'The market of side A. Null if it is not stored.',
      ...one(marketAt, ['chainId', 'unit1Id']),
    }),
    marketB: t.field({
      type: Market,
      nullable: true,
      description: 'The market of side B. Null if it is not stored.',
      ...one(marketAt, ['chainId', 'unit2Id']),
    }),
    multiplier: t.field({
      type: Multiplier,
      nullable: true,
      description: "The pool's current multiplier. Null if it has none; it then scores no points.",
      ...one(multiplierAt, ['id']),
    }),
  }))
  builder.interfaceFields(refs.Snapshot, (t) => ({
    user: t.field({
      type: User,
      description: 'The user.',
      ...one(userAt, ['accountId']),
    }),
  }))
  builder.interfaceFields(refs.LiquidationReward, (t) => ({
    user: t.field({
      type: User,
      description: 'The user.',
      ...one(userAt, ['accountId']),
    }),
  }))
  builder.objectFields(refs.Activity, (t) => ({
    user: t.field({
      type: User,
      description: 'The user.',
      ...one(userAt, ['accountId']),
    }),
    market: t.field({
      type: Market,
      nullable: true,
      description: 'The market, which is the collateral market for a reward. Null in a vault, or if it is not stored.',
      ...one(marketAt, ['chainId', 'marketId']),
    }),
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault. Null in a market, or if the vault is not stored.',
      ...one(vaultAt, ['chainId', 'vaultId']),
    }),
    pool: t.field({
      type: Pool,
      nullable: true,
      description: 'The pool of the market. Null in a vault, or if the pool is not stored.',
      ...one(poolAt, ['poolId']),
    }),
  }))
  builder.objectFields(refs.MarketSnapshot, (t) => ({
    market: t.field({
      type: Market,
      nullable: true,
      description: 'The market. Null if it is not stored.',
      ...one(marketAt, ['chainId', 'marketId']),
    }),
  }))
  builder.objectFields(refs.VaultSnapshot, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault. Null if it is not stored.',
      ...one(vaultAt, ['chainId', 'vaultId']),
    }),
  }))
  builder.objectFields(refs.MarketLiquidationReward, (t) => ({
    debtMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose debt was repaid. Null if it is not stored.',
      ...one(marketAt, ['chainId', 'debtMarketId']),
    }),
    collateralMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose collateral was received. Null if it is not stored.',
      ...one(marketAt, ['chainId', 'collateralMarketId']),
    }),
  }))
  builder.objectFields(refs.VaultLiquidationReward, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault. Null if it is not stored.',
      ...one(vaultAt, ['chainId', 'vaultId']),
    }),
  }))
  for (const item of [refs.EarningsItem, refs.NetAprItem] as const)
    builder.objectFields(item as typeof refs.NetAprItem, (t) => ({
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market. Null if the entity is a vault, or if the market is not stored.',
        ...one(marketAt, ['chainId', 'marketId']),
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault. Null if the entity is a market, or if the vault is not stored.',
        ...one(vaultAt, ['chainId', 'vaultId']),
      }),
    }))
}
