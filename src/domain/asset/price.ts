import { type RowOf, sqlColumns } from 'pothos-sql'
import { usually } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'

const POSITIONS = 'positions'

export const assetPriceColumns = sqlColumns({
  usd: { sql: 't.price', type: 'float', description: 'The price of one whole token, in USD.' },
  date: { sql: 't.date', type: 'date', description: 'The day (UTC) of the price.' },
  source: {
    sql: 't.source',
    type: 'text',
    nullable: true,
    description:
      `The origin of the price, in the words of its record. \`${POSITIONS}\` if no daily ` +
      'price of the asset is stored: then it is the price that the newest position has. ' +
      'Null if the record does not say.',
  },
  time: {
    sql: 't.time',
    type: 'moment',
    nullable: true,
    description: 'The moment of the price. Null if its record does not say.',
  },
  poolAddress: { sql: 't.pool_address', type: 'address', nullable: true },
})

export type AssetPrice = RowOf<typeof assetPriceColumns>

/**
 * The FROM clause for `assetPriceColumns`: the newest daily price of an asset or, if none is
 * stored, the price that the newest position with it has, of several the one with the first id. No
 * row without either. Of positions it reads one of each pool with the asset; or those of the newest
 * date if they are spread over servers, each of which gives its first one.
 */
export function assetPriceSql(chainId: Prisma.Sql, address: Prisma.Sql): Prisma.Sql {
  const ofAsset = Prisma.sql`d.chain_id = ${chainId} AND d.asset_address = ${address}`
  const none = Prisma.sql`NOT EXISTS (SELECT FROM asset_price d WHERE ${ofAsset})`
  const daily = Prisma.sql`SELECT d.price_usd AS price, d.date, d.source, d.time
    FROM asset_price d WHERE ${ofAsset} ORDER BY d.date DESC LIMIT 1`
  const n = Prisma.sql`(${priceOfPositions(chainId, address)}) n`
  const positions = Prisma.raw(`'${POSITIONS}'`)
  const midnight = Prisma.sql`n.distribution_date::timestamp AT TIME ZONE 'UTC'`
  return usually(
    Prisma.sql`FROM (
      (SELECT d.*, NULL::text AS pool_address FROM (${daily}) d)
      UNION ALL
      (SELECT n.price, n.distribution_date, ${positions}, ${midnight}, n.pool_address
        FROM ${n} WHERE ${none})) t`,
    {
      ifSpread: Prisma.sql`FROM (
        SELECT coalesce(d.price, n.price) AS price, coalesce(d.date, n.distribution_date) AS date,
          CASE WHEN d.date IS NULL THEN ${positions} ELSE d.source END AS source,
          CASE WHEN d.date IS NULL THEN ${midnight} ELSE d.time END AS time,
          CASE WHEN d.date IS NULL THEN n.pool_address END AS pool_address
        FROM (SELECT 1) one LEFT JOIN (${daily}) d ON true LEFT JOIN ${n} ON true
        WHERE coalesce(d.date, n.distribution_date) IS NOT NULL) t`,
    },
  )
}

function priceOfPositions(chainId: Prisma.Sql, address: Prisma.Sql): Prisma.Sql {
  const row = Prisma.sql`p.pool_address, p.distribution_date, p.id,
    CASE WHEN pool.asset_1_address = ${address} THEN p.a_token_price ELSE p.b_token_price END
      AS price`
  const withAsset = Prisma.sql`pool.chain_id = ${chainId}
    AND ${address} IN (pool.asset_1_address, pool.asset_2_address)`
  return usually(
    Prisma.sql`SELECT newest.* FROM pool
      CROSS JOIN LATERAL (SELECT ${row} FROM position p WHERE p.pool_key = pool.key
        ORDER BY p.distribution_date DESC, p.id LIMIT 1) newest
      WHERE ${withAsset} ORDER BY newest.distribution_date DESC, newest.id LIMIT 1`,
    {
      ifSpread: Prisma.sql`SELECT ${row} FROM position p JOIN pool ON pool.key = p.pool_key
        WHERE ${withAsset} AND p.distribution_date = (SELECT max(d.distribution_date)
          FROM pool_day d JOIN pool ON pool.id = d.pool_address WHERE ${withAsset})
        ORDER BY p.id LIMIT 1`,
    },
  )
}
