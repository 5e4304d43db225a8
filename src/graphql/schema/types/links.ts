import { one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { EarningsRefs } from './earnings.ts'
import type { RewardRefs } from './liquidation-reward.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type MultiplierRef, multiplierAt } from './multiplier.ts'
import type { PoolRef } from './pool.ts'
import type { SnapshotRefs } from './snapshot.ts'
import { type UserRef, userAt } from './user.ts'
import { type VaultRef, vaultAt } from './vault.ts'

type Refs = {
  User: UserRef
  Pool: PoolRef
  Multiplier: MultiplierRef
  Market: MarketRef
  Vault: VaultRef
} & SnapshotRefs &
  RewardRefs &
  EarningsRefs

/**
 * The ways from pools to their sides and from analytics records back to users, markets and vaults: what makes the two
 * domains one graph. Each goes through a loader, so that it is one statement however many rows lead there.
 */
export function addLinks(builder: Builder, refs: Refs): void {
  const { User, Pool, Multiplier, Market, Vault } = refs
  builder.prismaObjectFields(Pool, (t) => ({
    marketA: t.field({
      type: Market,
      nullable: true,
      description: "Side A's market; null where the store has none at its address.",
      ...one(marketAt, ['chainId', 'unit1Id']),
    }),
    marketB: t.field({
      type: Market,
      nullable: true,
      description: "Side B's market; null where the store has none at its address.",
      ...one(marketAt, ['chainId', 'unit2Id']),
    }),
    multiplier: t.field({
      type: Multiplier,
      nullable: true,
      description: "What the pool's dollars are worth in points; null: it scores none.",
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
  builder.objectFields(refs.MarketSnapshot, (t) => ({
    market: t.field({
      type: Market,
      nullable: true,
      description: 'The market; null where the store has none at its address.',
      ...one(marketAt, ['chainId', 'marketId']),
    }),
  }))
  builder.objectFields(refs.VaultSnapshot, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault; null where the store has none at its address.',
      ...one(vaultAt, ['chainId', 'vaultId']),
    }),
  }))
  builder.objectFields(refs.MarketLiquidationReward, (t) => ({
    debtMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose debt was repaid; null where the store has none at its address.',
      ...one(marketAt, ['chainId', 'debtMarketId']),
    }),
    collateralMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose collateral was received; null where the store has none at its address.',
      ...one(marketAt, ['chainId', 'collateralMarketId']),
    }),
  }))
  builder.objectFields(refs.VaultLiquidationReward, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault; null where the store has none at its address.',
      ...one(vaultAt, ['chainId', 'vaultId']),
    }),
  }))
  for (const item of [refs.EarningsItem, refs.NetAprItem] as const)
    builder.objectFields(item as typeof refs.NetAprItem, (t) => ({
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market; null where the entity is a vault, or the store has none at its address.',
        ...one(marketAt, ['chainId', 'marketId']),
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault; null where the entity is a market, or the store has none at its address.',
        ...one(vaultAt, ['chainId', 'vaultId']),
      }),
    }))
}
