import { marketLiquidationRewards, rewardColumns, vaultLiquidationRewards } from '../../../domain/liquidation/reward.ts'
import type { MarketLiquidationReward } from '../../../generated/prisma/client.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import type { Builder } from '../builder.ts'

/** Adds the reward types. links.ts adds their users, markets and vaults. */
export function addLiquidationReward(builder: Builder, { listInputs }: { listInputs: ListInputTypes }) {
  const LiquidationReward = builder
    .interfaceRef<Pick<MarketLiquidationReward, keyof typeof rewardColumns>>('LiquidationReward')
    .implement({
      description: "A user's proportional share of the reward of one defaulting liquidation.",
      fields: (t) => columnFields(t, rewardColumns),
      resolveType: (row) => ('vaultId' in row ? 'VaultLiquidationReward' : 'MarketLiquidationReward'),
    })

  const MarketLiquidationReward = builder.prismaObject('MarketLiquidationReward', {
    description: "A market lender's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => columnFields(t, marketLiquidationRewards.columns),
  })

  const VaultLiquidationReward = builder.prismaObject('VaultLiquidationReward', {
    description: "A vault depositor's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => columnFields(t, vaultLiquidationRewards.columns),
  })
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
