import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/place.ts'
import { bucketsOf, type Extent, type Span } from './interval.ts'

/** The APRs of a market or a vault at the end of a bucket. */
export const rateColumns = sqlColumns({
  start: { sql: 'bucket.start', type: 'date', description: "The bucket's first date." },
  depositApr: {
    sql: 'r.deposit_rate',
    type: 'float',
    nullable: true,
    description: 'The deposit APR as a fraction: 0.05 is 5 %. Null if not recorded.',
  },
  borrowApr: {
    sql: 'r.borrow_rate',
    type: 'float',
    nullable: true,
    description: 'The borrow APR: 0.05 is 5 %. Null in a vault, or if not recorded.',
  },
})

export type RateBucket = RowOf<typeof rateColumns>

/**
 * The FROM clause for `rateColumns`, from the last revision before the end of each bucket. Its cost
 * is one look-up for each.
 */
export const ratesFrom = (
  type: EntityType,
  chainId: Prisma.Sql,
  address: Prisma.Sql,
  span: Span,
): Prisma.Sql =>
  Prisma.sql`FROM ${bucketsOf(span)} bucket
    LEFT JOIN LATERAL (SELECT r.deposit_rate, r.borrow_rate FROM rate_revision r
      WHERE r.entity_type = ${Prisma.raw(`'${type}'`)} AND r.chain_id = ${chainId}
        AND r.entity_id = ${address}
        AND r.changed_at < bucket.until::timestamp AT TIME ZONE 'UTC'
      ORDER BY r.changed_at DESC LIMIT 1) r ON true`

/** The range of rates: up to the newest distribution date, or to a later change of any rate. */
export const rateDates: Extent = Prisma.sql`
  SELECT min(changed_at) AT TIME ZONE 'UTC' AS first,
    greatest(max(changed_at) AT TIME ZONE 'UTC', (SELECT max(date)::timestamp
      FROM distribution)) AS newest
  FROM rate_revision`
