import {
  liquidationRewards,
  type LiquidationReward as Row,
} from '../../../domain/liquidation/reward.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { listTypes } from '../../fields/list-types.ts'
import { one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { entityOf } from './entity-of.ts'
import { legacyTimes } from './legacy.ts'
import { marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { userAt } from './user-ref.ts'

export function addLiquidationReward(builder: Builder): void {
  const LiquidationReward = builder.objectRef<Row>('LiquidationReward').implement({
    description: "A user's share of the reward of one liquidation in a market or vault.",
    fields: (t) => ({
      ...columnFields(t, liquidationRewards.columns, { entityType: 'EntityType' }),
      legacy: t.field(legacyTimes),
      user: t.field({ type: 'User', description: 'The user.', ...one(userAt, ['userAddress']) }),
      entity: t.field({
        ...entityOf,
        description: 'The market of the collateral, or the vault. Null if not stored.',
      }),
      debtMarket: t.field({
        type: 'Market',
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
    'userAddress',
  ])
  listTypes(builder, LiquidationReward, liquidationRewards, { entityTypes: 'EntityType' })
}
