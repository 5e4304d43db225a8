import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { bucketsOf, type Extent, type Span } from './interval.ts'

/** The newest daily price of an asset in a bucket. */
export const priceColumns = sqlColumns({
  start: { sql: 'bucket.start', type: 'date', description: "The bucket's first date." },
  usd: {
    sql: 'p.price_usd',
    type: 'float',
    nullable: true,
    description: 'The price of one whole token, in USD. Null if none is stored.',
  },
  date: {
    sql: 'p.date',
    type: 'date',
    nullable: true,
    description: 'The day (UTC) of the price. Null if no price is stored.',
  },
  source: {
    sql: 'p.source',
    type: 'text',
    nullable: true,
    description: 'The origin of the price. Null without one, or if not recorded.',
  },
  time: {
    sql: 'p.time',
    type: 'moment',
    nullable: true,
    description: 'The moment of the price. Null without one, or if not recorded.',
  },
})

export type PriceBucket = RowOf<typeof priceColumns>

/** The FROM clause for `priceColumns`. Its cost is one look-up for each bucket. */
export const pricesFrom = (
  chainId: Prisma.Sql,
  address: Prisma.Sql,
  span: Span,
): Prisma.Sql => Prisma.sql`
  FROM ${bucketsOf(span)} bucket
  LEFT JOIN LATERAL (SELECT p.price_usd, p.date, p.source, p.time FROM asset_price p
    WHERE p.chain_id = ${chainId} AND p.asset_address = ${address} AND p.date >= bucket.start
      AND p.date < bucket.until
    ORDER BY p.date DESC LIMIT 1) p ON true`

export const priceDates: Extent = Prisma.sql`
  SELECT min(date)::timestamp AS first, max(date)::timestamp AS newest FROM asset_price`
