import type { RowOf } from '../../../db/lists/column.ts'
import type { Listing } from '../../../db/lists/listing.ts'
import { assertSortable } from '../../../domain/snapshot/bounds.ts'
import { marketSnapshots, snapshotColumns, vaultSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { ownerOf, related } from '../../fields/relation.ts'
import { list } from '../../fields/sql-field.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { OWNED_COUNT } from './charges.ts'
import { type MarketRef, marketAt } from './market.ts'
import { recordNode } from './record-node.ts'
import { type UserRef, userAt } from './user-ref.ts'
import { type VaultRef, vaultAt } from './vault.ts'

/** The list of all users' snapshots in a market or vault. */
const snapshotsIn = <Row>(model: 'Market' | 'Vault', snapshots: Listing<Row>) =>
  list(
    {
      listing: () => snapshots,
      assertSortable,
      filter: () => ({ where: [] }),
      owner: ownerOf(model, 'snapshots', snapshots),
    },
    { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
  )

type Refs = { listInputs: ListInputTypes; User: UserRef; Market: MarketRef; Vault: VaultRef }

/** Adds the snapshots of users, and the lists of those in a market or vault. */
export function addSnapshot(builder: Builder, { listInputs, User, Market, Vault }: Refs) {
  const Snapshot = builder.interfaceRef<RowOf<typeof snapshotColumns>>('Snapshot').implement({
    interfaces: [builder.nodeInterfaceRef()],
    description: "A user's position in a market or vault at one point in time. One snapshot is stored per day.",
    fields: (t) => ({
      ...columnFields(t, snapshotColumns),
      user: t.field({ type: User, description: 'The user.', ...related('MarketSnapshot', 'user', userAt) }),
    }),
    resolveType: (row) => ('marketId' in row ? 'MarketSnapshot' : 'VaultSnapshot'),
  })

  const MarketSnapshot = builder.prismaObject('MarketSnapshot', {
    description: "A user's position in a market at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => ({
      ...columnFields(t, marketSnapshots.columns),
      market: t.field({
        type: Market,
        nullable: true,
        description: 'The market. Null if it is not stored.',
        ...related('MarketSnapshot', 'market', marketAt),
      }),
    }),
  })

  const VaultSnapshot = builder.prismaObject('VaultSnapshot', {
    description: "A user's position in a vault at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => ({
      ...columnFields(t, vaultSnapshots.columns),
      vault: t.field({
        type: Vault,
        nullable: true,
        description: 'The vault. Null if it is not stored.',
        ...related('VaultSnapshot', 'vault', vaultAt),
      }),
    }),
  })

  const key = ['timestamp', 'positionId'] as const
  recordNode(builder, MarketSnapshot, marketSnapshots, ['accountId', 'chainId', 'marketId', ...key])
  recordNode(builder, VaultSnapshot, vaultSnapshots, ['accountId', 'chainId', 'vaultId', ...key])

  const MarketSnapshotInputs = listInputs('MarketSnapshot', marketSnapshots)
  const VaultSnapshotInputs = listInputs('VaultSnapshot', vaultSnapshots)
  const MarketSnapshots = connectionType(builder, 'MarketSnapshot', MarketSnapshot)
  const VaultSnapshots = connectionType(builder, 'VaultSnapshot', VaultSnapshot)
  builder.prismaObjectFields(Market, (t) => ({
    snapshots: t.field({
      type: MarketSnapshots,
      description: 'Snapshots of all users in the market, oldest first, then by user and position.',
      args: listArguments(t.arg, MarketSnapshotInputs),
      ...snapshotsIn('Market', marketSnapshots),
    }),
  }))
  builder.prismaObjectFields(Vault, (t) => ({
    snapshots: t.field({
      type: VaultSnapshots,
      description: 'Snapshots of all users in the vault, oldest first, then by user and position.',
      args: listArguments(t.arg, VaultSnapshotInputs),
      ...snapshotsIn('Vault', vaultSnapshots),
    }),
  }))
  return {
    Snapshot,
    MarketSnapshot,
    VaultSnapshot,
    MarketSnapshotInputs,
    VaultSnapshotInputs,
    MarketSnapshots,
    VaultSnapshots,
  }
}

export type SnapshotRefs = ReturnType<typeof addSnapshot>
