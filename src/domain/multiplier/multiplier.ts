import { columnsOf } from '../../db/lists/column.ts'
import { many, one } from '../../db/lists/filter.ts'
import { type Listing, listing } from '../../db/lists/listing.ts'
import { type Multiplier, Prisma } from '../../generated/prisma/client.ts'

const factor = (stored: string, dollars: string) =>
  ({
    sql: `t.${stored}`,
    type: 'float',
    description: `The factor for each dollar of ${dollars}.`,
    filter: true,
    sort: true,
  }) as const

/** The columns of a pool's multiplier. */
export const multiplierColumns = columnsOf(Prisma.MultiplierScalarFieldEnum, {
  id: { type: 'text', field: 'recordId', description: "The multiplier's id in the REST API: a UUID." },
  poolAddress: { type: 'address', description: "The pool's address." },
  depositA: factor('deposit_token_a', 'asset A supplied'),
  depositB: factor('deposit_token_b', 'asset B supplied'),
  borrowA: factor('borrow_token_a', 'asset A borrowed'),
  borrowB: factor('borrow_token_b', 'asset B borrowed'),
  createdAt: { type: 'moment', description: 'When the pool first got a multiplier.' },
  updatedAt: { type: 'moment', description: 'When the multiplier last changed.', filter: true },
})

const onPool = (column: string, type: 'address' | 'integer') => ({ sql: `p.${column}`, type }) as const
const tokens = [onPool('asset_1_address', 'address'), onPool('asset_2_address', 'address')]

/** Multipliers, by their pool's number, then address. */
export const multipliers: Listing<Multiplier & { poolNumber: bigint }> = listing({
  name: 'multipliers',
  from: Prisma.sql`multiplier t JOIN pool p ON p.id = t.pool_address`,
  columns: {
    ...multiplierColumns,
    poolAddress: { ...multiplierColumns.poolAddress, order: 'p.id', sort: 'POOL' },
    poolNumber: { ...onPool('market_id', 'integer'), description: "The pool's number.", sort: true },
  },
  order: { poolNumber: 'ASC', poolAddress: 'ASC' },
  filters: {
    pool: one(multiplierColumns.poolAddress, 'Only multipliers of this pool.'),
    pools: many(multiplierColumns.poolAddress, 'Only multipliers of one of these pools.'),
    chainId: one(onPool('chain_id', 'integer'), 'Only multipliers of pools on this chain.'),
    asset: one(tokens, 'Only multipliers of pools with this token on either side.'),
  },
})
