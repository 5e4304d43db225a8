import { computedVaultColumns, vaultColumns, vaults } from '../../../domain/vault/vault.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { computedFields } from '../../fields/computed-fields.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { modelRow } from '../../fields/relation.ts'
import { nodeId } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { type AssetRef, assetOfEntity } from './asset.ts'
import { addEntityQueries, type EntityRef } from './entity.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'

export const vaultAt = modelRow('Vault', vaults)

export function addVault(
  builder: Builder,
  { listInputs, Asset, Entity }: { listInputs: ListInputTypes; Asset: AssetRef; Entity: EntityRef },
) {
  const Vault = builder.prismaNode('Vault', {
    id: { resolve: chainAddressId, ...nodeId('Vault', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A vault that lends one asset across markets.',
    interfaces: [Entity],
    fields: (t) => ({
      ...columnFields(t, vaultColumns),
      ...computedFields(t, vaultAt, computedVaultColumns, ['chainId', 'id']),
      asset: t.field({ type: Asset, description: "The vault's token.", ...assetOfEntity }),
    }),
  })
  const inputs = listInputs('Vault', vaults)
  addEntityQueries(builder, { kind: 'vault', Type: Vault, all: vaults, at: vaultAt, inputs })
  return Vault
}

export type VaultRef = ReturnType<typeof addVault>
