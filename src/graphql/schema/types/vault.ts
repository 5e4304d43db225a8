import { vaultSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { vaults } from '../../../domain/vault/vault.ts'
import { columnFields } from '../../fields/column-fields.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { keyOf, nodeId } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { type ActivityRefs, activityIn } from './activity.ts'
import { addEntityQueries, snapshotsIn } from './entity.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'
import type { SnapshotRefs } from './snapshot.ts'

/** Loads the vault at an address on a chain. */
export const vaultAt = keyOf(vaults, 'chainId', 'id')

type Refs = { listInputs: ListInputTypes } & ActivityRefs & SnapshotRefs

export function addVault(
  builder: Builder,
  { listInputs, Activities, ActivityInputs, VaultSnapshots, VaultSnapshotInputs }: Refs,
) {
  const Vault = builder.prismaNode('Vault', {
    id: { resolve: chainAddressId, ...nodeId('Vault', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A vault that lends one asset across markets.',
    fields: (t) => ({
      ...columnFields(t, vaults.columns),
      snapshots: t.field({
        type: VaultSnapshots,
        description: 'Snapshots of all users in the vault, oldest first, then by user and position.',
        args: listArguments(t.arg, VaultSnapshotInputs),
        ...snapshotsIn('vault', vaultSnapshots),
      }),
      activity: t.field({
        type: Activities,
        description: 'What all users did or received in the vault, newest first.',
        args: listArguments(t.arg, ActivityInputs),
        ...activityIn('vault'),
      }),
    }),
  })
  const inputs = listInputs('Vault', vaults)
  addEntityQueries(builder, { kind: 'vault', Type: Vault, all: vaults, at: vaultAt, inputs })
  return Vault
}

export type VaultRef = ReturnType<typeof addVault>
