import { computedVaultColumns, vaultColumns, vaults } from '../../../domain/vault/vault.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { computedFields } from '../../fields/computed-fields.ts'
import { modelRow } from '../../fields/relation.ts'
import { nodeId } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { assetOfEntity } from './asset.ts'
import { addEntityQueries } from './entity.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'

export const vaultAt = modelRow('Vault', vaults)

export function addVault(builder: Builder): void {
  const Vault = builder.prismaNode('Vault', {
    id: { resolve: chainAddressId, ...nodeId('Vault', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A vault that lends one asset across markets.',
    interfaces: ['Entity'],
    fields: (t) => ({
      ...columnFields(t, vaultColumns),
      ...computedFields(t, vaultAt, computedVaultColumns, ['chainId', 'id']),
      asset: t.field({ type: 'Asset', description: "The vault's token.", ...assetOfEntity }),
    }),
  })
  addEntityQueries(builder, { kind: 'vault', Type: Vault, all: vaults, at: vaultAt })
}
