import { vaults } from '../../../domain/vault/vault.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { modelRow } from '../relation.ts'
import { assetOfEntity } from './asset.ts'
import { addEntityQueries } from './entity.ts'

export const vaultAt = modelRow('Vault', vaults)

export function addVault(builder: Builder): void {
  const Vault = builder.prismaObject('Vault', {
    description: 'A vault that lends one asset across markets.',
    interfaces: ['Entity'],
    fields: (t) => ({
      ...columnFields(t, vaults.columns),
      asset: t.field({ type: 'Asset', description: "The vault's token.", ...assetOfEntity }),
    }),
  })
  addEntityQueries(builder, { kind: 'vault', Type: Vault, all: vaults, at: vaultAt })
}
