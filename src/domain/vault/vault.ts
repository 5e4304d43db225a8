import { listing, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { entityColumns, entityFilters } from '../market/entity.ts'
import { totalColumns } from './totals.ts'

export const vaultColumns = sqlColumns(
  Prisma.VaultScalarFieldEnum,
  entityColumns('vault', { name: { type: 'text', description: "The vault's name.", sort: true } }),
)

const computedVaultColumns = sqlColumns(totalColumns('now'))

export const vaults = listing({
  name: 'vaults',
  // Postgres drops the join if no column of it is read.
  from: Prisma.sql`vault t LEFT JOIN vault_day d ON d.chain_id = t.chain_id AND d.vault_id = t.id
    AND d.date = (SELECT max(n.date) FROM vault_day n
      WHERE n.chain_id = t.chain_id AND n.vault_id = t.id)`,
  columns: { ...vaultColumns, ...computedVaultColumns },
  order: { chainId: 'ASC', id: 'ASC' },
  filters: entityFilters('vault', vaultColumns),
})
