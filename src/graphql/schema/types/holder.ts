import type { ArgBuilder } from '@pothos/core'
import { listTypes, sqlFields } from 'pothos-sql'
import { type HolderRow, holders, holdersIn } from '../../../domain/holding/holders.ts'
import { momentSql } from '../../../domain/holding/holding.ts'
import type { EntityType } from '../../../domain/holding/place.ts'
import { DAY_MS } from '../../../time.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { related } from '../relation.ts'
import { holderRows, OWNED_COUNT } from './charges.ts'
import { userAt, userField } from './user-ref.ts'

const endOf = (day: Date) => new Date(day.getTime() + DAY_MS - 1)

const holdersOf = (arg: ArgBuilder<Types>, kind: EntityType) =>
  sqlFields.list(arg, 'Holder', {
    args: {
      asOf: arg({
        type: 'Date',
        description:
          'The last day (UTC) whose snapshots count. Defaults to the newest. Then all holders ' +
          'are added up for a page, which costs more.',
      }),
    },
    listing: ({ asOf }) => (asOf ? holdersIn(kind, momentSql(endOf(asOf))) : holders[kind]),
    owner: sqlFields.ownedBy(holders[kind], { entityId: 'id', chainId: 'chainId' }),
    extensions: {
      cost: { once: 150, weight: holderRows, count: () => OWNED_COUNT } satisfies FieldCost,
    },
  })

export function addHolder(builder: Builder): void {
  const Holder = builder.objectRef<HolderRow>('Holder').implement({
    description:
      'A user with an amount in a market or vault, by their newest snapshots there: the sum of ' +
      'their positions.',
    fields: (t) => ({
      ...columnFields(t, holders.market.columns),
      user: t.field({ ...userField, ...related('MarketHolding', 'user', userAt) }),
    }),
  })
  listTypes(builder, Holder, holders.market)
  builder.objectFields('Market', (t) => ({
    holders: t.field({
      description: 'The users who supply to the market or borrow from it, by rank.',
      ...holdersOf(t.arg, 'market'),
    }),
  }))
  builder.objectFields('Vault', (t) => ({
    holders: t.field({
      description: 'The users with assets in the vault, by rank.',
      ...holdersOf(t.arg, 'vault'),
    }),
  }))
}
