import { reading } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { EarningsRefs } from './earnings.ts'
import type { RewardRefs } from './liquidation-reward.ts'
import { loadMarket, type MarketRef, marketAt } from './market.ts'
import { loadMultiplier, type MultiplierRef, multiplierAt } from './multiplier.ts'
import type { PoolRef } from './pool.ts'
import type { SnapshotRefs } from './snapshot.ts'
import { type UserRef, userAt } from './user.ts'
import { loadVault, type VaultRef, vaultAt } from './vault.ts'

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
      ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'unit1Id'] }),
      resolve: (pool, _, context) => loadMarket(context, pool.chainId, pool.unit1Id),
    }),
    marketB: t.field({
      type: Market,
      nullable: true,
      description: "Side B's market; null where the store has none at its address.",
      ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'unit2Id'] }),
      resolve: (pool, _, context) => loadMarket(context, pool.chainId, pool.unit2Id),
    }),
    multiplier: t.field({
      type: Multiplier,
      nullable: true,
      description: "What the pool's dollars are worth in points; null: it scores none.",
      ...reading({ kind: 'one', one: multiplierAt, by: ['id'] }),
      resolve: (pool, _, context) => loadMultiplier(context, pool.id),
    }),
  }))
  builder.interfaceFields(refs.Snapshot, (t) => ({
    user: t.field({
      type: User,
      description: 'The user.',
      ...reading({ kind: 'one', one: userAt, by: ['accountId'] }),
      resolve: (row) => ({ address: row.accountId }),
    }),
  }))
  builder.interfaceFields(refs.LiquidationReward, (t) => ({
    user: t.field({
      type: User,
      description: 'The user.',
      ...reading({ kind: 'one', one: userAt, by: ['accountId'] }),
      resolve: (row) => ({ address: row.accountId }),
    }),
  }))
  builder.objectFields(refs.MarketSnapshot, (t) => ({
    market: t.field({
      type: Market,
      nullable: true,
      description: 'The market; null where the store has none at its address.',
      ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'marketId'] }),
      resolve: (row, _, context) => loadMarket(context, row.chainId, row.marketId),
    }),
  }))
  builder.objectFields(refs.VaultSnapshot, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault; null where the store has none at its address.',
      ...reading({ kind: 'one', one: vaultAt, by: ['chainId', 'vaultId'] }),
      resolve: (row, _, context) => loadVault(context, row.chainId, row.vaultId),
    }),
  }))
  builder.objectFields(refs.MarketLiquidationReward, (t) => ({
    debtMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose debt was repaid; null where the store has none at its address.',
      ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'debtMarketId'] }),
      resolve: (row, _, context) => loadMarket(context, row.chainId, row.debtMarketId),
    }),
    collateralMarket: t.field({
      type: Market,
      nullable: true,
      description: 'The market whose collateral was received; null where the store has none at its address.',
      ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'collateralMarketId'] }),
      resolve: (row, _, context) => loadMarket(context, row.chainId, row.collateralMarketId),
    }),
  }))
  builder.objectFields(refs.VaultLiquidationReward, (t) => ({
    vault: t.field({
      type: Vault,
      nullable: true,
      description: 'The vault; null where the store has none at its address.',
      ...reading({ kind: 'one', one: vaultAt, by: ['chainId', 'vaultId'] }),
      resolve: (row, _, context) => loadVault(context, row.chainId, row.vaultId),
    }),
  }))
  for (const item of [refs.EarningsItem, refs.NetAprItem] as const)
    builder.objectFields(item as typeof refs.NetAprItem, (t) => ({
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market; null where the entity is a vault, or the store has none at its address.',
        ...reading({ kind: 'one', one: marketAt, by: ['chainId', 'marketId'] }),
        resolve: ({ chainId, marketId }, _, context) => (marketId ? loadMarket(context, chainId, marketId) : null),
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault; null where the entity is a market, or the store has none at its address.',
        ...reading({ kind: 'one', one: vaultAt, by: ['chainId', 'vaultId'] }),
        resolve: ({ chainId, vaultId }, _, context) => (vaultId ? loadVault(context, chainId, vaultId) : null),
      }),
    }))
}
