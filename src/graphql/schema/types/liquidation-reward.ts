import { listTypes, sqlFields } from 'pothos-sql'
import { boundsOf } from '../../../domain/activity/bounds.ts'
import { byKind } from '../../../domain/holding/place.ts'
import {
  liquidationRewards,
  type LiquidationReward as Row,
  rewardsWhere,
} from '../../../domain/liquidation/reward.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liveList } from '../live-field.ts'
import { FILTERED_COUNT } from './charges.ts'
import { entityOf } from './entity-of.ts'
import { legacyAddress, legacyTimes } from './legacy.ts'
import { marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'

export function addLiquidationReward(builder: Builder) {
  const LiquidationReward = builder.objectRef<Row>('LiquidationReward').implement({
    description: "A user's share of the reward of one liquidation in a market or vault.",
    fields: (t) => ({
      ...columnFields(t, liquidationRewards.columns, { entityType: 'EntityType' }),
      legacy: t.field(legacyTimes),
      userAddress: t.expose('userAddress', legacyAddress),
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
  const Rewards = listTypes(builder, LiquidationReward, liquidationRewards, {
    entityTypes: 'EntityType',
  })
  builder.queryFields((t) => ({
    liquidationRewards: t.field({
      description:
        'The shares of all users in the rewards of liquidations, newest first. `totalCount`, ' +
        'another order, and a filter by anything but `time`, need `where.users`, or a ' +
        '`where.time` of at most 31 days.',
      ...sqlFields.list(t.arg, 'LiquidationReward', {
        listing: ({ where }) => rewardsWhere(where),
        filter: ({ where }) => byKind(where),
        ...boundsOf('liquidation rewards'),
        extensions: { cost: { count: () => FILTERED_COUNT } satisfies FieldCost },
      }),
    }),
  }))
  builder.subscriptionFields((t) => ({
    liquidationRewards: t.field({
      type: Rewards,
      ...liveList(t.arg, 'LiquidationReward', 'The newest liquidation rewards of all users'),
    }),
  }))
  return LiquidationReward
}
