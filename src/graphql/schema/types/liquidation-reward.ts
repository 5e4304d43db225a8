import { liquidationRewards, type LiquidationReward as Row } from '../../../domain/liquidation/reward.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import type { EntityRefs } from './entity.ts'
import { entityOf } from './entity-of.ts'
import type { Legacy } from './legacy.ts'
import { type MarketRef, marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { type UserRef, userAt } from './user-ref.ts'

type Refs = { listInputs: ListInputTypes; legacy: Legacy; User: UserRef; Market: MarketRef } & EntityRefs

export function addLiquidationReward(builder: Builder, refs: Refs) {
  const { listInputs, legacy, User, Market, Entity, EntityType } = refs
  const LiquidationReward = builder.objectRef<Row>('LiquidationReward').implement({
    description: "A user's share of the reward of one liquidation in a market or vault.",
    fields: (t) => ({
      ...columnFields(t, liquidationRewards.columns, { entityType: EntityType }),
      legacy: t.field(legacy.legacyTimes),
      user: t.field({ type: User, description: 'The user.', ...one(userAt, ['accountId']) }),
      entity: t.field({
        type: Entity,
        nullable: true,
        description: 'The market of the collateral, or the vault. Null if not stored.',
        ...entityOf,
      }),
      debtMarket: t.field({
        type: Market,
        nullable: true,
        description: 'The market whose debt was repaid. Null in a vault or if not stored.',
        ...one(marketAt, ['chainId', 'debtMarketId']),
      }),
    }),
  })
  recordNode(builder, LiquidationReward, liquidationRewards, [
    'entityType',
    'chainId',
    'txHash',
    'logIndex',
    'accountId',
  ])
  return {
    RewardInputs: listInputs('LiquidationReward', liquidationRewards, { entityTypes: EntityType }),
    LiquidationRewards: connectionType(builder, 'LiquidationReward', LiquidationReward),
  }
}

export type RewardRefs = ReturnType<typeof addLiquidationReward>
