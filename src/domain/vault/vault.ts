import { columnsOf } from '../../db/lists/column.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { entityColumns, entityFilters } from '../market/entity.ts'

const columns = columnsOf(
  Prisma.VaultScalarFieldEnum,
  entityColumns('vault', { name: { type: 'text', description: "The vault's name.", sort: true } }),
)

/** Vaults, by chain, then address. */
export const vaults = listing({
  name: 'vaults',
  from: Prisma.sql`vault t`,
  columns,
  order: { chainId: 'ASC', id: 'ASC' },
  filters: entityFilters('vault', columns),
})
