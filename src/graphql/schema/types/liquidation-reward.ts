import { marketRewardChoices, vaultRewardChoices } from '../../../domain/liquidation/choices.ts'
import type { MarketLiquidationReward as MarketRow } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'

type Common = Omit<MarketRow, 'debtMarketId' | 'collateralMarketId'>

/** Adds the reward types. links.ts adds their users, markets and vaults. */
export function addLiquidationReward(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const LiquidationReward = builder.interfaceRef<Common>('LiquidationReward').implement({
    description: "A user's proportional share of the reward of one defaulting liquidation.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id.' }),
      txHash: t.exposeString('txHash', { description: 'The hash of the liquidation transaction.' }),
      logIndex: t.expose('logIndex', {
        type: 'SafeInt',
        description: 'The index of the liquidation event in its block.',
      }),
      timestamp: t.expose('timestamp', {
        type: 'BigInt',
        description: 'The time of the liquidation, in Unix seconds.',
      }),
      userAddress: t.expose('accountId', { type: 'Address', description: "The user's address." }),
      supplySent: t.expose('supplySent', {
        type: 'BigInt',
        description: "The amount that the user's share repaid, in the smallest unit of the debt token.",
      }),
      supplySentUsd: t.exposeFloat('supplySentUsd', {
        nullable: true,
        description: "The amount that the user's share repaid, in USD. Null if the price is unknown.",
      }),
      collateralReceived: t.expose('collateralReceived', {
        type: 'BigInt',
        description: "The collateral that the user's share received, in the smallest unit of the collateral token.",
      }),
      collateralReceivedUsd: t.exposeFloat('collateralReceivedUsd', {
        nullable: true,
        description: "The collateral that the user's share received, in USD. Null if the price is unknown.",
      }),
      liquidReward: t.expose('liquidReward', {
        type: 'BigInt',
        description: 'The reward part of the received collateral, in the smallest unit of the collateral token.',
      }),
      liquidRewardUsd: t.exposeFloat('liquidRewardUsd', {
        nullable: true,
        description: 'The reward part of the received collateral, in USD. Null if the price is unknown.',
      }),
      userRoi: t.exposeString('userRoi', {
        nullable: true,
        description: "The user's return on the liquidation, as a decimal number. Null if it is unknown.",
      }),
      claimedTimestamp: t.expose('claimedTimestamp', {
        type: 'BigInt',
        nullable: true,
        description: 'When the user claimed the reward, in Unix seconds. Null if it has not been claimed.',
      }),
    }),
    resolveType: (row) => ('vaultId' in row ? 'VaultLiquidationReward' : 'MarketLiquidationReward'),
  })

  const MarketLiquidationReward = builder.prismaObject('MarketLiquidationReward', {
    description: "A market lender's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => ({
      debtMarketAddress: t.expose('debtMarketId', {
        type: 'Address',
        description: 'The address of the market whose debt was repaid.',
      }),
      collateralMarketAddress: t.expose('collateralMarketId', {
        type: 'Address',
        description: 'The address of the market whose collateral was received.',
      }),
    }),
  })

  const VaultLiquidationReward = builder.prismaObject('VaultLiquidationReward', {
    description: "A vault depositor's share of a liquidation reward.",
    interfaces: [LiquidationReward],
    fields: (t) => ({ vaultAddress: t.expose('vaultId', { type: 'Address', description: "The vault's address." }) }),
  })
  return {
    LiquidationReward,
    MarketLiquidationReward,
    VaultLiquidationReward,
    MarketRewardChosen: chosen('MarketLiquidationReward', marketRewardChoices),
    VaultRewardChosen: chosen('VaultLiquidationReward', vaultRewardChoices),
    MarketLiquidationRewards: connectionType(builder, 'MarketLiquidationReward', MarketLiquidationReward),
    VaultLiquidationRewards: connectionType(builder, 'VaultLiquidationReward', VaultLiquidationReward),
  }
}

export type RewardRefs = ReturnType<typeof addLiquidationReward>
