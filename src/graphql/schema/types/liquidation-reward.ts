import { marketRewardChoices, vaultRewardChoices } from '../../../domain/liquidation/choices.ts'
import type {
  MarketLiquidationReward as MarketRow,
  LiquidationReward as Row,
  VaultLiquidationReward as VaultRow,
} from '../../../domain/liquidation/reward.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'

/** The reward types; the fields that lead to users, markets and vaults are in links.ts. */
export function addLiquidationReward(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const LiquidationReward = builder.interfaceRef<Row>('LiquidationReward').implement({
    description: "A user's proportional share of the reward of one defaulting liquidation.",
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain.' }),
      txHash: t.exposeString('txHash', { description: 'The transaction of the liquidation.' }),
      logIndex: t.expose('logIndex', { type: 'SafeInt', description: 'The place of its event in the block.' }),
      timestamp: t.expose('timestamp', { type: 'BigInt', description: 'When it happened, Unix seconds.' }),
      userAddress: t.expose('accountId', { type: 'Address', description: "The user's address." }),
      supplySent: t.expose('supplySent', {
        type: 'BigInt',
        description: "What the user's share paid, in the smallest unit of the debt's token.",
      }),
      supplySentUsd: t.exposeFloat('supplySentUsd', {
        nullable: true,
        description: 'The same in USD; null: no price.',
      }),
      collateralReceived: t.expose('collateralReceived', {
        type: 'BigInt',
        description: "What the user's share got, in the smallest unit of the collateral's token.",
      }),
      collateralReceivedUsd: t.exposeFloat('collateralReceivedUsd', {
        nullable: true,
        description: 'The same in USD; null: no price.',
      }),
      liquidReward: t.expose('liquidReward', {
        type: 'BigInt',
        description: "The reward in it, in the smallest unit of the collateral's token.",
      }),
      liquidRewardUsd: t.exposeFloat('liquidRewardUsd', {
        nullable: true,
        description: 'The same in USD; null: no price.',
      }),
      userRoi: t.exposeString('userRoi', {
        nullable: true,
        description: "The user's return on it, a decimal; null: unknown.",
      }),
      claimedTimestamp: t.expose('claimedTimestamp', {
        type: 'BigInt',
        nullable: true,
        description: 'When the user claimed it, Unix seconds; null: not claimed.',
      }),
    }),
    resolveType: (row) => ('vaultId' in row ? 'VaultLiquidationReward' : 'MarketLiquidationReward'),
  })

  const MarketLiquidationReward = builder.objectRef<MarketRow>('MarketLiquidationReward').implement({
    description: 'The share of a lender of a market.',
    interfaces: [LiquidationReward],
    fields: (t) => ({
      debtMarketAddress: t.expose('debtMarketId', {
        type: 'Address',
        description: 'The market whose debt was repaid.',
      }),
      collateralMarketAddress: t.expose('collateralMarketId', {
        type: 'Address',
        description: 'The market whose collateral was received.',
      }),
    }),
  })

  const VaultLiquidationReward = builder.objectRef<VaultRow>('VaultLiquidationReward').implement({
    description: 'The share of a depositor of a vault.',
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
