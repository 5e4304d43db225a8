import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import type { Topology } from '../../db/topology/topology.ts'
import { Prisma } from '../../generated/prisma/client.ts'

export const assetPriceColumns = columnsOf(
  {},
  {
    priceUsd: { sql: 't.price', type: 'float', description: 'The price of one whole token, in USD.' },
    date: {
      sql: 't.distribution_date',
      type: 'date',
      description: 'The distribution date of the position that has the price.',
    },
    poolAddress: {
      sql: 't.market_address',
      type: 'address',
      description: 'The address of the pool of the position that has the price.',
    },
  },
)

/** A price of an asset. */
export type AssetPrice = RowOf<typeof assetPriceColumns>

/**
 * The FROM clause for `assetPriceColumns`: the price that the newest position with an asset has, of several the one with
 * the first id. No row without a position. Reads one position of each pool with the asset; in a cluster, where each worker gives
 * its first one, those of the newest date.
 */
export function assetPriceSql(chainId: Prisma.Sql, address: Prisma.Sql, topology: Topology): Prisma.Sql {
  const row = Prisma.sql`p.market_address, p.distribution_date, p.id,
      CASE WHEN pool.asset_1_address = ${address} THEN p.a_token_price ELSE p.b_token_price END AS price`
  const withAsset = Prisma.sql`pool.chain_id = ${chainId} AND ${address} IN (pool.asset_1_address, pool.asset_2_address)`
  return topology.form({
    cluster: Prisma.sql`FROM (SELECT ${row} FROM position p JOIN pool ON pool.key = p.pool_key
      WHERE ${withAsset} AND p.distribution_date = (SELECT max(d.distribution_date) FROM pool_day d
        JOIN pool ON pool.id = d.pool_address WHERE ${withAsset}) ORDER BY p.id LIMIT 1) t`,
    one: Prisma.sql`FROM (
    SELECT newest.* FROM pool
    CROSS JOIN LATERAL (SELECT ${row} FROM position p WHERE p.pool_key = pool.key
      ORDER BY p.distribution_date DESC, p.id LIMIT 1) newest
    WHERE ${withAsset} ORDER BY newest.distribution_date DESC, newest.id LIMIT 1) t`,
  })
}
