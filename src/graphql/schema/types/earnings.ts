import type { Listing } from '../../../db/lists/listing.ts'
import {
  type Earnings as EarningsRow,
  earningsColumns,
  earningsFrom,
  entityEarnings,
} from '../../../domain/earnings/earnings.ts'
import { entityAprs, type NetApr as NetAprRow, netAprColumns, netAprFrom } from '../../../domain/earnings/net-apr.ts'
import type { Entity } from '../../../domain/holding/holding.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { related } from '../../fields/relation.ts'
import { list } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { heldBy } from './held-by.ts'
import { type MarketRef, marketAt } from './market.ts'
import { type VaultRef, vaultAt } from './vault.ts'

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

type Refs = { listInputs: ListInputTypes; Market: MarketRef; Vault: VaultRef }

export function addEarnings(builder: Builder, { listInputs, Market, Vault }: Refs) {
  const EntityType = builder.enumType('EntityType', {
    description: 'The kind of entity that a user has a position in.',
    values: {
      MARKET: { value: 'market' as const, description: 'A market: one side of a pool.' },
      VAULT: { value: 'vault' as const, description: 'A vault that lends across markets.' },
    },
  })
  const enums = { entityType: EntityType, entityTypes: EntityType }

  const EarningsItem = builder.objectRef<Entity>('EarningsItem').implement({
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

  const NetAprItem = builder.objectRef<Entity>('NetAprItem').implement({
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
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market. Null if the entity is a vault, or if the market is not stored.',
        ...related('MarketHolding', 'market', marketAt),
      }),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault. Null if the entity is a market, or if the vault is not stored.',
        ...related('VaultHolding', 'vault', vaultAt),
      }),
    }))
  return { Earnings, NetApr }
}

export type EarningsRefs = ReturnType<typeof addEarnings>
