import type { ArgBuilder } from '@pothos/core'
import { defineLookup, listTypes, sqlFields } from 'pothos-sql'
import {
  activities,
  activityFilter,
  type Activity as Row,
} from '../../../domain/activity/activity.ts'
import { boundsOf } from '../../../domain/activity/bounds.ts'
import {
  END_FIELDS,
  END_TYPES,
  type Ends,
  endColumns,
  endsOf,
} from '../../../domain/activity/ends.ts'
import type { EntityType } from '../../../domain/holding/place.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liveList } from '../live-field.ts'
import { related } from '../relation.ts'
import { assetCost } from './asset.ts'
import { FILTERED_COUNT, OWNED_COUNT } from './charges.ts'
import { entityOf } from './entity-of.ts'
import { legacyTime } from './legacy.ts'
import { poolAt } from './pool.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'

const { assertFilterable, assertCountable } = boundsOf('activity')

const endAt = (name: keyof Ends) =>
  defineLookup({
    columns: { [name]: endColumns[name] },
    types: END_TYPES,
    always: true,
    at: (...key) => endsOf(key, new Set([name])),
  })

const assetOf = {
  chainId: 'chainId',
  address: 'assetAddress',
  symbol: 'assetSymbol',
  decimals: 'assetDecimals',
}

// The list of all users' activity in a market or vault.
// `id`: the fields that have its address
const activityIn = (arg: ArgBuilder<Types>, kind: EntityType, id: string | string[] = 'id') =>
  sqlFields.list(arg, 'Activity', {
    listing: () => activities,
    filter: () => activityFilter(kind),
    owner: sqlFields.ownedBy(activities, { entityId: id, chainId: 'chainId' }),
    extensions: { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
  })

export function addActivity(builder: Builder): void {
  builder.enumType('ActivityKind', {
    description: 'A cash flow, a liquidation or a reward of a user.',
    values: {
      DEPOSIT: { value: 'deposit', description: 'The user deposited tokens.' },
      WITHDRAW: { value: 'withdraw', description: 'The user withdrew tokens.' },
      BORROW: { value: 'borrow', description: 'The user borrowed tokens.' },
      REPAY: { value: 'repay', description: 'The user repaid borrowed tokens.' },
      LIQUIDATION: {
        value: 'liquidation',
        description: 'The user was liquidated: the amount is the collateral that was taken.',
      },
      LIQUIDATION_REWARD: {
        value: 'liquidation_reward',
        description: "The user received a share of a liquidation's reward, the amount.",
      },
    } as const,
  })
  const end = (name: keyof Ends) => ({
    nullable: true,
    description: endColumns[name].description,
    ...sqlFields.lookupColumn(endAt(name), name, END_FIELDS, {
      cost: { weight: 1 } satisfies FieldCost,
    }),
  })
  const Activity = builder.objectRef<Row>('Activity').implement({
    description: "A user's cash flow, liquidation or liquidation reward in a market or vault.",
    fields: (t) => ({
      ...columnFields(t, activities.columns, { kind: 'ActivityKind', entityType: 'EntityType' }),
      opened: t.boolean(end('opened')),
      closed: t.boolean(end('closed')),
      legacy: t.field(legacyTime),
      user: t.field({ ...userField, ...related('CashFlow', 'user', userAt) }),
      asset: t.field({
        type: 'Asset',
        nullable: true,
        description: "The token. Null for a vault's reward, whose token is not stored.",
        ...sqlFields.embedded(assetOf, assetCost, 'assetAddress'),
      }),
      entity: t.field({
        ...entityOf,
        description:
          'The market (of the collateral for a liquidation or reward) or vault. Null if unknown.',
      }),
      pool: t.field({
        type: 'Pool',
        nullable: true,
        description: 'The pool of the market. Null in a vault, or if the pool is not stored.',
        ...related('Market', 'pool', poolAt),
      }),
    }),
  })
  recordNode(builder, Activity, activities, [
    'recordType',
    'chainId',
    'txHash',
    'logIndex',
    'userAddress',
  ])
  const Activities = listTypes(builder, Activity, activities, {
    kinds: 'ActivityKind',
    entityTypes: 'EntityType',
  })
  builder.objectFields('Pool', (t) => ({
    activity: t.field({
      description: 'The activity of all users in both markets of the pool, newest first.',
      ...activityIn(t.arg, 'market', ['unit1Id', 'unit2Id']),
    }),
  }))
  builder.objectFields('Market', (t) => ({
    activity: t.field({
      description: 'The activity of all users in the market, newest first.',
      ...activityIn(t.arg, 'market'),
    }),
  }))
  builder.objectFields('Vault', (t) => ({
    activity: t.field({
      description: 'The activity of all users in the vault, newest first.',
      ...activityIn(t.arg, 'vault'),
    }),
  }))
  builder.queryFields((t) => ({
    activity: t.field({
      description:
        'The activity of all users, newest first. `totalCount`, and a filter by anything but ' +
        '`time` or `unpriced: true`, need `where.users`, or a `where.time` of at most 31 days: ' +
        'up to now if it has no end.',
      ...sqlFields.list(t.arg, 'Activity', {
        listing: () => activities,
        filter: () => activityFilter(),
        assertFilterable,
        assertCountable,
        extensions: { cost: { count: () => FILTERED_COUNT } satisfies FieldCost },
      }),
    }),
  }))
  builder.subscriptionFields((t) => ({
    activity: t.field({
      type: Activities,
      ...liveList(t.arg, 'Activity', 'The newest activity of all users'),
    }),
  }))
}
