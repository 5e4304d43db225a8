import { activities, activityFilter, type Activity as Row } from '../../../domain/activity/activity.ts'
import type { EntityType } from '../../../domain/holding/holding.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { list, ownedBy } from '../../fields/sql-field.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { OWNED_COUNT } from './charges.ts'

/** The list of a user's activity. */
export const activityOfUser = () =>
  list({
    listing: () => activities,
    filter: () => activityFilter(),
    owner: ownedBy(activities, { accountId: 'address' }),
  })

/** The list of all users' activity in a market or vault. */
export const activityIn = (kind: EntityType) =>
  list(
    {
      listing: () => activities,
      filter: () => activityFilter(kind),
      owner: ownedBy(activities, { entityId: 'id', chainId: 'chainId' }),
    },
    { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
  )

/** Adds the activity types. links.ts adds their users, markets, vaults and pools. */
export function addActivity(builder: Builder, { listInputs }: { listInputs: ListInputTypes }) {
  const ActivityKind = builder.enumType('ActivityKind', {
    description: 'What a user did or received.',
    values: {
      DEPOSIT: { value: 'deposit', description: 'The user deposited tokens.' },
      WITHDRAW: { value: 'withdraw', description: 'The user withdrew tokens.' },
      BORROW: { value: 'borrow', description: 'The user borrowed tokens.' },
      REPAY: { value: 'repay', description: 'The user repaid borrowed tokens.' },
      LIQUIDATION_REWARD: {
        value: 'liquidation_reward',
        description: "The user received a share of a liquidation's reward. The amount is the reward.",
      },
    } as const,
  })
  const Activity = builder.objectRef<Row>('Activity').implement({
    description: 'Something that a user did or received in a market or vault: a cash flow or a liquidation reward.',
    fields: (t) => columnFields(t, activities.columns, { kind: ActivityKind }),
  })
  return {
    Activity,
    ActivityInputs: listInputs('Activity', activities, { kind: ActivityKind, kinds: ActivityKind }),
    Activities: connectionType(builder, 'Activity', Activity),
  }
}

export type ActivityRefs = ReturnType<typeof addActivity>
