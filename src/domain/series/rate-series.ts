import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { extentOf, moved, type Span, sqlDate } from './interval.ts'

export interface RatedEntity {
  type: 'market' | 'vault'
  chainId: bigint
  address: string
}

/** The APRs at the end of a bucket, as fractions. */
export interface RateBucket {
  start: Date
  /** Null if none was recorded by then. */
  depositRate: number | null
  /** Null also for a vault. */
  borrowRate: number | null
}

/**
 * Each entity's rates in every bucket of a span, from its last revision before the end of the bucket. Its cost is one look-up
 * for each entity and bucket.
 */
export async function rateSeries(
  reader: Reader,
  entities: readonly RatedEntity[],
  { interval, starts }: Span,
): Promise<RateBucket[][]> {
  const ends = starts.map((start) => `${sqlDate(moved(interval, start, 1))}T00:00:00Z`)
  const rows = await reader.$queryRaw<(Omit<RateBucket, 'start'> & { owner: number; bucket: number })[]>`
    SELECT e.ordinality::int AS owner, b.ordinality::int AS bucket, r.deposit_rate AS "depositRate", r.borrow_rate AS "borrowRate"
    FROM unnest(${entities.map(({ type }) => type)}::text[], ${entities.map(({ chainId }) => String(chainId))}::bigint[],
      ${entities.map(({ address }) => address)}::text[]) WITH ORDINALITY AS e(type, chain_id, address, ordinality)
    CROSS JOIN unnest(${ends}::timestamptz[]) WITH ORDINALITY AS b(until, ordinality)
    CROSS JOIN LATERAL (SELECT r.deposit_rate, r.borrow_rate FROM rate_revision r
      WHERE r.entity_type = e.type::entity_type AND r.chain_id = e.chain_id AND r.entity_id = e.address
        AND r.changed_at < b.until ORDER BY r.changed_at DESC LIMIT 1) r`
  const byEntity = entities.map(() =>
    starts.map((start): RateBucket => ({ start, depositRate: null, borrowRate: null })),
  )
  for (const { owner, bucket, ...rates } of rows) Object.assign(byEntity[owner - 1]?.[bucket - 1] ?? {}, rates)
  return byEntity
}

/** The range of rates: up to the newest distribution date, or to a later change of any rate. */
export const rateDates = extentOf(Prisma.sql`
    SELECT min(changed_at) AS first,
      greatest(max(changed_at), (SELECT max(date)::timestamp AT TIME ZONE 'UTC' FROM distribution)) AS newest
    FROM rate_revision`)
