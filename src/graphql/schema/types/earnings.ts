import type { ArgBuilder } from '@pothos/core'
import type { Listing } from '../../../db/lists/listing.ts'
import {
  type AssetEarnings as AssetEarningsRow,
  assetEarningsColumns,
  assetEarningsFrom,
  assetEarningsOf,
  type Earnings as EarningsRow,
  earningsColumns,
  earningsFrom,
  entityEarnings,
  MOST_ASSETS,
} from '../../../domain/earnings/earnings.ts'
import { entityAprs, type NetApr as NetAprRow, netAprColumns, netAprFrom } from '../../../domain/earnings/net-apr.ts'
import type { Entity as EntityRow } from '../../../domain/holding/holding.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { list, part, sqlField } from '../../fields/sql-field.ts'
import type { Builder, Types } from '../builder.ts'
import { type AssetRef, assetCost } from './asset.ts'
import type { EntityRefs } from './entity.ts'
import { entityOf } from './entity-of.ts'
import { heldBy } from './held-by.ts'

/** The number of markets and vaults that the cost estimate assumes for a user, whatever the page size. */
const MOST_ENTITIES = 20

/** The argument `from` of earnings. */
export const fromArgument = (arg: ArgBuilder<Types>) =>
  arg({
    type: 'DateTime',
    description:
      'The start of a period: all amounts, also those by market, vault and asset, are changes since then. Not later than `asOf`.',
  })

/** @throws BAD_INPUT */
export function assertPeriod({ from, asOf }: { from?: Date | null | undefined; asOf?: Date | null | undefined }): void {
  if (from && asOf && from > asOf) throw badArgument('from', 'must not be later than asOf')
}

export const earningsReading = heldBy(earningsColumns, earningsFrom, undefined, assertPeriod)
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

type Refs = { listInputs: ListInputTypes; Asset: AssetRef } & EntityRefs

export function addEarnings(builder: Builder, { listInputs, Asset, Entity, EntityType }: Refs) {
  const enums = { entityType: EntityType, entityTypes: EntityType }

  const EarningsItem = builder.objectRef<EntityRow>('EarningsItem').implement({
    description: "A user's earnings in one market or vault.",
    fields: (t) => columnFields(t, entityEarnings.columns, enums),
  })
  const EarningsInputs = listInputs('EarningsItem', entityEarnings, enums)
  const EarningsItems = connectionType(builder, 'EarningsItem', EarningsItem)
  const AssetEarnings = builder.objectRef<AssetEarningsRow>('AssetEarnings').implement({
    description: "A user's earnings in all markets and vaults that lend an asset.",
    fields: (t) => ({
      asset: t.field({
        type: Asset,
        description: 'The asset.',
        ...part({ chainId: 'chainId', address: 'address', symbol: 'symbol', decimals: 'decimals' }, assetCost),
      }),
      ...columnFields(t, assetEarningsColumns),
    }),
  })
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
      byAsset: t.field({
        type: [AssetEarnings],
        description: `The earnings by asset, those of the largest current value first, at most ${MOST_ASSETS}. Markets and vaults that are not stored are left out.`,
        ...sqlField(
          {
            kind: 'rows',
            rows: {
              columns: assetEarningsColumns,
              by: ['entities'],
              of: (_, [entities]) => assetEarningsFrom(Prisma.sql`unnest(${entities})`),
            },
          },
          { cost: { rows: MOST_ENTITIES } },
        ),
        resolve: ({ entities }, _, { batches }) => batches.load(assetEarningsOf, String(entities)),
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
