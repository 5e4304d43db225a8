import type { Listing } from '../../../db/lists/listing.ts'
import {
  type Earnings as EarningsRow,
  earningsColumns,
  earningsFrom,
  entityEarnings,
} from '../../../domain/earnings/earnings.ts'
import { entityAprs, type NetApr as NetAprRow, netAprColumns, netAprFrom } from '../../../domain/earnings/net-apr.ts'
import type { Entity as EntityRow } from '../../../domain/holding/holding.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { list } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import type { EntityRefs } from './entity.ts'
import { entityOf } from './entity-of.ts'
import { heldBy } from './held-by.ts'

/** The number of markets and vaults that the cost estimate assumes for a user, whatever the page size. */
const MOST_ENTITIES = 20

export const earningsReading = heldBy(earningsColumns, earningsFrom)
export const netAprReading = heldBy(netAprColumns, netAprFrom)

const breakdown = <Row>(listing: Listing<Row>) =>
  list(
    {
      listing: () => listing,
      filter: () => ({ where: [] }),
      owner: { columns: [{ column: 'entities', type: 'text' }], fields: ['entities'] },
      total: { load: (row) => async () => row.entityCount, sql: (_, column) => column('entityCount') },
    },
    { cost: { most: MOST_ENTITIES } },
  )

type Refs = { listInputs: ListInputTypes } & EntityRefs

export function addEarnings(builder: Builder, { listInputs, Entity, EntityType }: Refs) {
  const enums = { entityType: EntityType, entityTypes: EntityType }

  const EarningsItem = builder.objectRef<EntityRow>('EarningsItem').implement({
    description: "A user's earnings in one market or vault.",
    fields: (t) => columnFields(t, entityEarnings.columns, enums),
  })
  const EarningsInputs = listInputs('EarningsItem', entityEarnings, enums)
  const EarningsItems = connectionType(builder, 'EarningsItem', EarningsItem)
  const Earnings = builder.objectRef<EarningsRow>('Earnings').implement({
    description:
      "A user's earnings: the current value of the positions minus the net cash invested. Totals cover all entities.",
    fields: (t) => ({
      ...columnFields(t, earningsColumns),
      breakdown: t.field({
        type: EarningsItems,
        description: 'All entities in which the user has a snapshot or a cash flow, by current value, largest first.',
        args: listArguments(t.arg, EarningsInputs),
        ...breakdown(entityEarnings),
      }),
    }),
  })

  const NetAprItem = builder.objectRef<EntityRow>('NetAprItem').implement({
    description: "A user's deposit and debt in one market or vault, with their APR.",
    fields: (t) => columnFields(t, entityAprs.columns, enums),
  })
  const NetAprInputs = listInputs('NetAprItem', entityAprs, enums)
  const NetAprItems = connectionType(builder, 'NetAprItem', NetAprItem)
  const NetApr = builder.objectRef<NetAprRow>('NetApr').implement({
    description: "The average APR of a user's deposits and debts. Totals cover all entities.",
    fields: (t) => ({
      ...columnFields(t, netAprColumns),
      breakdown: t.field({
        type: NetAprItems,
        description: 'All entities in which the user has a snapshot, by deposit + debt, largest first.',
        args: listArguments(t.arg, NetAprInputs),
        ...breakdown(entityAprs),
      }),
    }),
  })
  for (const item of [EarningsItem, NetAprItem])
    builder.objectFields(item, (t) => ({
      entity: t.field({
        type: Entity,
        nullable: true,
        description: 'The market or vault. Null if it is not stored.',
        ...entityOf,
      }),
    }))
  return { Earnings, NetApr }
}

export type EarningsRefs = ReturnType<typeof addEarnings>
