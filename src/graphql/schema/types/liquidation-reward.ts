import { marketLiquidationRewards, rewardColumns, vaultLiquidationRewards } from '../../../domain/liquidation/reward.ts'
import type { MarketLiquidationReward } from '../../../generated/prisma/client.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { related } from '../../fields/relation.ts'
import type { Builder } from '../builder.ts'
import { type MarketRef, marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { type UserRef, userAt } from './user-ref.ts'
import { type VaultRef, vaultAt } from './vault.ts'

type Refs = { listInputs: ListInputTypes; User: UserRef; Market: MarketRef; Vault: VaultRef }

/** Adds users' shares of liquidation rewards. */
export function addLiquidationReward(builder: Builder, { listInputs, User, Market, Vault }: Refs) {
  const LiquidationReward = builder
    .interfaceRef<Pick<MarketLiquidationReward, keyof typeof rewardColumns>>('LiquidationReward')
    .implement({
      interfaces: [builder.nodeInterfaceRef()],
      description: "A user's proportional share of the reward of one defaulting liquidation.",
      fields: (t) => ({
        ...columnFields(t, rewardColumns),
        user: t.field({ type: User, description: 'The user.', ...related('MarketLiquidationReward', 'user', userAt) }),
      }),
      resolveType: (row) => ('vaultId' in row ? 'VaultLiquidationReward' : 'MarketLiquidationReward'),
    })

  const MarketLiquidationReward = builder.prismaObject('MarketLiquidationReward', {
    description: "A market lender's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => ({
      ...columnFields(t, marketLiquidationRewards.columns),
      debtMarket: t.field({
        type: Market,
        nullable: true,
        description: 'The market whose debt was repaid. Null if it is not stored.',
        ...related('MarketLiquidationReward', 'debtMarket', marketAt),
      }),
      collateralMarket: t.field({
        type: Market,
        nullable: true,
        description: 'The market whose collateral was received. Null if it is not stored.',
        ...related('MarketLiquidationReward', 'collateralMarket', marketAt),
      }),
    }),
  })

  const VaultLiquidationReward = builder.prismaObject('VaultLiquidationReward', {
    description: "A vault depositor's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => ({
      ...columnFields(t, vaultLiquidationRewards.columns),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault. Null if it is not stored.',
        ...related('VaultLiquidationReward', 'vault', vaultAt),
      }),
    }),
  })
  const key = ['chainId', 'txHash', 'logIndex', 'accountId'] as const
  recordNode(builder, MarketLiquidationReward, marketLiquidationRewards, [...key])
  recordNode(builder, VaultLiquidationReward, vaultLiquidationRewards, [...key])
  return {
    LiquidationReward,
    MarketLiquidationReward,
    VaultLiquidationReward,
    MarketRewardInputs: listInputs('MarketLiquidationReward', marketLiquidationRewards),
    VaultRewardInputs: listInputs('VaultLiquidationReward', vaultLiquidationRewards),
    MarketLiquidationRewards: connectionType(builder, 'MarketLiquidationReward', MarketLiquidationReward),
    VaultLiquidationRewards: connectionType(builder, 'VaultLiquidationReward', VaultLiquidationReward),
  }
}

export type RewardRefs = ReturnType<typeof addLiquidationReward>
