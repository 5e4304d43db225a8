import { columnsOf } from '../../db/lists/column.ts'
import { many, one } from '../../db/lists/filter.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { entityColumns, entityFilters } from './entity.ts'

const columns = columnsOf(Prisma.MarketScalarFieldEnum, {
  ...entityColumns('market', { poolId: { type: 'address' } }),
  borrowRate: { type: 'float', description: 'The borrow APR as a fraction: 0.05 is 5 %.', filter: true, sort: true },
})

/** Markets, by chain, then address. */
export const markets = listing({
  name: 'markets',
  from: Prisma.sql`market t`,
  columns,
  order: { chainId: 'ASC', id: 'ASC' },
  filters: {
    ...entityFilters('market', columns),
    pool: one(columns.poolId, 'Only the sides of this pool.'),
    pools: many(columns.poolId, 'Only the sides of one of these pools.'),
  },
})
