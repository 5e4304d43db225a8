import { type Listing, listing, rowFilters, sqlColumns } from 'pothos-sql'
import { rowOfEach } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { type Multiplier, Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { factorColumns, inForce } from './rule.ts'

export const multiplierColumns = sqlColumns(Prisma.MultiplierScalarFieldEnum, {
  id: { type: 'text' },
  poolAddress: { type: 'address', description: "The pool's address." },
  // The rules of a date are other rows than those of today.
  nodeKey: { sql: 't.pool_address', type: 'text' },
  ...factorColumns({ filter: true, sort: true }),
  createdAt: { type: 'moment', description: 'When the pool first got a multiplier.' },
  updatedAt: { type: 'moment', description: 'When the multiplier last changed.', filter: true },
})

const onPool = (column: string, type: 'address' | 'integer') =>
  ({ sql: `p.${column}`, type }) as const
const tokens = [onPool('asset_1_address', 'address'), onPool('asset_2_address', 'address')]

export const multipliers: Listing<Multiplier & { nodeKey: string; poolNumber: bigint }> = listing({
  name: 'multipliers',
  from: Prisma.sql`multiplier t JOIN pool p ON p.id = t.pool_address`,
  columns: {
    ...multiplierColumns,
    poolAddress: { ...multiplierColumns.poolAddress, order: 'p.id', sort: 'POOL' },
    poolNumber: { ...onPool('number', 'integer'), description: "The pool's number.", sort: true },
  },
  order: { poolNumber: 'ASC', poolAddress: 'ASC' },
  filters: {
    pools: rowFilters.many(
      multiplierColumns.poolAddress,
      'Only multipliers of one of these pools.',
    ),
    chainIds: rowFilters.many(
      onPool('chain_id', 'integer'),
      'Only multipliers of pools on one of these chains.',
    ),
    assets: rowFilters.many(
      tokens,
      'Only multipliers of pools with one of these tokens on either side.',
    ),
  },
})

/** Reads the multipliers of pools as they are now. Null for a pool without one. */
export async function multipliersOf(
  reader: Reader,
  pools: readonly string[],
): Promise<(Multiplier | null)[]> {
  const stored = await reader.models.multiplier.findMany({
    where: { poolAddress: { in: [...pools] } },
  })
  return rowOfEach(pools, stored, ({ poolAddress }) => poolAddress)
}

/**
 * The FROM item `t` of the multipliers that are in force for a date. A pool whose first one is yet
 * to come has no stored id.
 */
export const multipliersOnSql = (date: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(
    SELECT coalesce(m.id, md5(r.pool_address)::uuid::text) AS id, r.pool_address,
      r.deposit_token_a, r.deposit_token_b, r.borrow_token_a, r.borrow_token_b,
      coalesce(m.created_at, r.changed_at) AS created_at,
      greatest(r.changed_at, r.from_date::timestamp AT TIME ZONE 'UTC') AS updated_at,
      d.date AS on_date
    FROM multiplier_rule r CROSS JOIN (SELECT ${date}::date AS date) d
    LEFT JOIN multiplier m ON m.pool_address = r.pool_address
    WHERE ${Prisma.raw(inForce('r', 'd.date'))} AND r.deposit_token_a IS NOT NULL) t`

const nodeKey = { sql: "t.pool_address || '@' || t.on_date", type: 'text' } as const

export const multiplierOnColumns = { ...multiplierColumns, nodeKey }

export const multipliersOn = (date: Date): typeof multipliers => ({
  ...multipliers,
  name: 'multipliersOn',
  columns: { ...multipliers.columns, nodeKey },
  from: Prisma.sql`${multipliersOnSql(Prisma.sql`${isoDay(date)}`)}
    JOIN pool p ON p.id = t.pool_address`,
})
