import type { Listing } from '../../../db/lists/listing.ts'
import { assertSortable } from '../../../domain/snapshot/bounds.ts'
import { marketSnapshots, type Snapshot as Row, snapshots, vaultSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { related } from '../../fields/relation.ts'
import { list, ownedBy } from '../../fields/sql-field.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { OWNED_COUNT } from './charges.ts'
import type { EntityRefs } from './entity.ts'
import { entityOf } from './entity-of.ts'
import type { Legacy } from './legacy.ts'
import type { MarketRef } from './market.ts'
import { recordNode } from './record-node.ts'
import { type UserRef, userAt } from './user-ref.ts'
import type { VaultRef } from './vault.ts'

/** The list of all users' snapshots in a market or vault. */
const snapshotsIn = (listing: Listing<Row>) =>
  list(
    {
      listing: () => listing,
      assertSortable,
      owner: ownedBy(listing, { entityId: 'id', chainId: 'chainId' }),
    },
    { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
  )

type Refs = {
  listInputs: ListInputTypes
  legacy: Legacy
  User: UserRef
  Market: MarketRef
  Vault: VaultRef
} & EntityRefs

/** Adds the snapshots of users, and the lists of those in a market or vault. */
export function addSnapshot(builder: Builder, refs: Refs) {
  const { listInputs, legacy, User, Market, Vault, Entity, EntityType } = refs
  const Snapshot = builder.objectRef<Row>('Snapshot').implement({
    description: "A user's position in a market or vault at one time: one per day.",
    fields: (t) => ({
      ...columnFields(t, snapshots.columns, { entityType: EntityType }),
      legacy: t.field(legacy.legacyTime),
      user: t.field({ type: User, description: 'The user.', ...related('MarketSnapshot', 'user', userAt) }),
      entity: t.field({
        type: Entity,
        nullable: true,
        description: 'The market or vault. Null if it is not stored.',
        ...entityOf,
      }),
    }),
  })
  const key = ['entityType', 'accountId', 'chainId', 'entityId', 'timestamp', 'positionId'] as const
  recordNode(builder, Snapshot, snapshots, [...key])
  const SnapshotInputs = listInputs('Snapshot', snapshots, { entityTypes: EntityType })
  const Snapshots = connectionType(builder, 'Snapshot', Snapshot)
  builder.prismaObjectFields(Market, (t) => ({
    snapshots: t.field({
      type: Snapshots,
      description: 'All snapshots, oldest first, then by user and position.',
      args: listArguments(t.arg, SnapshotInputs),
      ...snapshotsIn(marketSnapshots),
    }),
  }))
  builder.prismaObjectFields(Vault, (t) => ({
    snapshots: t.field({
      type: Snapshots,
      description: 'All snapshots, oldest first, then by user and position.',
      args: listArguments(t.arg, SnapshotInputs),
      ...snapshotsIn(vaultSnapshots),
    }),
  }))
  return { Snapshot, SnapshotInputs, Snapshots }
}

export type SnapshotRefs = ReturnType<typeof addSnapshot>
