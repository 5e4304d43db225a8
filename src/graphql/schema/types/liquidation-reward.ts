import { listTypes, sqlFields } from 'pothos-sql'
import {
  liquidationRewards,
  type LiquidationReward as Row,
} from '../../../domain/liquidation/reward.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { entityOf } from './entity-of.ts'
import { legacyTimes } from './legacy.ts'
import { marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'

export function addLiquidationReward(builder: Builder): void {
  const LiquidationReward = builder.objectRef<Row>('LiquidationReward').implement({
    description: "A user's share of the reward of one liquidation in a market or vault.",
    fields: (t) => ({
      ...columnFields(t, liquidationRewards.columns, { entityType: 'EntityType' }),
      legacy: t.field(legacyTimes),
      user: t.field({ ...userField, ...sqlFields.lookup(userAt, ['userAddress']) }),
      entity: t.field({
        ...entityOf,
        description: 'The market of the collateral, or the vault. Null if not stored.',
      }),
      debtMarket: t.field({
        type: 'Market',
        nullable: true,
        description: 'The market whose debt was repaid. Null in a vault or if not stored.',
        ...sqlFields.lookup(marketAt, ['chainId', 'debtMarketId']),
      }),
    }),
  })
  recordNode(builder, LiquidationReward, liquidationRewards, [
    'entityType',
    'chainId',
    'txHash',
    'logIndex',
    'userAddress',
  ])
  listTypes(builder, LiquidationReward, liquidationRewards, {
    entityTypes: 'EntityType',
  })
}
