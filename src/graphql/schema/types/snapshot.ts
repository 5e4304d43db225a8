import type { RowOf } from '../../../db/lists/column.ts'
import { marketSnapshots, snapshotColumns, vaultSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import type { Builder } from '../builder.ts'

/** Adds the snapshot types. links.ts adds their users, markets and vaults. */
export function addSnapshot(builder: Builder, { listInputs }: { listInputs: ListInputTypes }) {
  const Snapshot = builder.interfaceRef<RowOf<typeof snapshotColumns>>('Snapshot').implement({
    description: "A user's position in a market or vault at one point in time. One snapshot is stored per day.",
    fields: (t) => columnFields(t, snapshotColumns),
    resolveType: (row) => ('marketId' in row ? 'MarketSnapshot' : 'VaultSnapshot'),
  })

  const MarketSnapshot = builder.prismaObject('MarketSnapshot', {
    description: "A user's position in a market at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => columnFields(t, marketSnapshots.columns),
  })

  const VaultSnapshot = builder.prismaObject('VaultSnapshot', {
    description: "A user's position in a vault at one point in time.",
    interfaces: [Snapshot],
    fields: (t) => columnFields(t, vaultSnapshots.columns),
  })
  return {
    Snapshot,
    MarketSnapshot,
    VaultSnapshot,
    MarketSnapshotInputs: listInputs('MarketSnapshot', marketSnapshots),
    VaultSnapshotInputs: listInputs('VaultSnapshot', vaultSnapshots),
    MarketSnapshots: connectionType(builder, 'MarketSnapshot', MarketSnapshot),
    VaultSnapshots: connectionType(builder, 'VaultSnapshot', VaultSnapshot),
  }
}

export type SnapshotRefs = ReturnType<typeof addSnapshot>
