import type { ObjectRef } from '@pothos/core'
import { defineLookup, listTypes, sqlFields } from 'pothos-sql'
import { boundsOf } from '../../../domain/activity/bounds.ts'
import {
  liquidationColumns,
  liquidationOf,
  liquidations,
  type Liquidation as Row,
} from '../../../domain/liquidation/liquidation.ts'
import {
  liquidationRewards,
  type LiquidationReward as RewardRow,
} from '../../../domain/liquidation/reward.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liveList } from '../live-field.ts'
import { ownerOf, related } from '../relation.ts'
import { FILTERED_COUNT, OWNED_COUNT } from './charges.ts'
import { marketAt } from './market.ts'
import { poolAt, poolField } from './pool.ts'
import { recordNode } from './record-node.ts'
import { userAt } from './user-ref.ts'

// Events and rewards of one transaction lead to each other.
const TRANSACTION = { chainId: 'chainId', txHash: 'txHash' }
const liquidationOfReward = defineLookup({
  columns: liquidationColumns,
  types: ['bigint', 'text', 'text'],
  nullable: true,
  at: liquidationOf,
})

export function addLiquidation(builder: Builder, Reward: ObjectRef<Types, RewardRow>): void {
  const Liquidation = builder.objectRef<Row>('Liquidation').implement({
    description:
      "One liquidation: a liquidator repaid a borrower's debt and took collateral for it. " +
      "Lenders' shares in its reward are `rewards`.",
    fields: (t) => ({
      ...columnFields(t, liquidations.columns),
      user: t.field({
        type: 'User',
        description: 'The borrower who was liquidated.',
        ...related('Liquidation', 'user', userAt),
      }),
      liquidator: t.field({
        type: 'User',
        description: 'The address that repaid the debt.',
        ...sqlFields.lookup(userAt, ['liquidator']),
      }),
      pool: t.field({ ...poolField, ...related('Liquidation', 'pool', poolAt) }),
      debtMarket: t.field({
        type: 'Market',
        nullable: true,
        description: 'The market whose debt was repaid. Null if it is not stored.',
        ...related('Liquidation', 'debtMarket', marketAt),
      }),
      collateralMarket: t.field({
        type: 'Market',
        nullable: true,
        description: 'The market of the collateral. Null if it is not stored.',
        ...related('Liquidation', 'collateralMarket', marketAt),
      }),
      rewards: t.field({
        description: "Lenders' shares in rewards of the same transaction.",
        ...sqlFields.list(t.arg, 'LiquidationReward', {
          listing: () => liquidationRewards,
          owner: sqlFields.ownedBy(liquidationRewards, TRANSACTION),
        }),
      }),
    }),
  })
  recordNode(builder, Liquidation, liquidations, ['chainId', 'txHash', 'logIndex', 'borrower'])
  const Liquidations = listTypes(builder, Liquidation, liquidations)
  builder.objectFields(Reward, (t) => ({
    liquidation: t.field({
      type: Liquidation,
      nullable: true,
      description:
        'The liquidation of the same transaction. If there are several, one with the same ' +
        'collateral comes first, then the first event. Null if it is not stored.',
      ...sqlFields.lookup(liquidationOfReward, ['chainId', 'txHash', 'marketId']),
    }),
  }))
  builder.objectFields('User', (t) => ({
    liquidations: t.field({
      description: 'The liquidations of the user as a borrower, newest first.',
      ...sqlFields.list(t.arg, 'Liquidation', {
        listing: () => liquidations,
        owner: sqlFields.ownedBy(liquidations, { borrower: 'address' }),
      }),
    }),
  }))
  builder.objectFields('Pool', (t) => ({
    liquidations: t.field({
      description: 'The liquidations in the pool, newest first.',
      ...sqlFields.list(t.arg, 'Liquidation', {
        listing: () => liquidations,
        owner: ownerOf('Pool', 'liquidations', liquidations),
        extensions: { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
      }),
    }),
  }))
  builder.queryFields((t) => ({
    liquidations: t.field({
      description:
        'The liquidations of all borrowers, newest first. `totalCount`, another order, and a ' +
        'filter by anything but `time`, need `where.users`, or a `where.time` of at most 31 days.',
      ...sqlFields.list(t.arg, 'Liquidation', {
        listing: () => liquidations,
        ...boundsOf('liquidations'),
        extensions: { cost: { count: () => FILTERED_COUNT } satisfies FieldCost },
      }),
    }),
  }))
  builder.subscriptionFields((t) => ({
    liquidations: t.field({
      type: Liquidations,
      ...liveList(t.arg, 'Liquidation', 'The newest liquidations of all borrowers'),
    }),
  }))
}
