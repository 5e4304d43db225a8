import type { PoolClient } from 'pg'
import { exact } from '../../db/exact-sum.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import { mergeRows } from '../../db/topology/merge.ts'

/**
 * SQL for a sum of USD to 6 decimals, over integers, so that the order of addition does not matter.
 * Nearly all values fit a bigint, which is much faster than numeric.
 */
const sum = (usd: string) => {
  const millionths = `round(greatest(least(${usd}, 1e300), -1e300) * 1e6)`
  const part = (type: string, fits: string) =>
    `coalesce(sum(${millionths}::${type}) FILTER (WHERE abs(${usd}) ${fits} 9e12), 0)`
  return `((${part('bigint', '<')} + ${part('numeric', '>=')}) * 0.000001)::float8`
}

/** SQL for an exact sum of whole tokens, of which most are 0. */
const tokens = (amount: string) =>
  `coalesce(sum(${exact(amount)}) FILTER (WHERE ${amount} <> 0), 0)`

const amounts = (side: 'a' | 'b') => `min(${side}_token_address) AS ${side}_token_address,
  sum(points_${side})::bigint AS ${side}_points, ${sum(`${side}_supplied_amount_usd`)} AS ${side}_supplied_usd,
  ${sum(`${side}_protected_supplied_amount_usd`)} AS ${side}_protected_usd,
  ${sum(`${side}_borrowed_amount_usd`)} AS ${side}_borrowed_usd, ${tokens(`${side}_supplied_amount`)} AS ${side}_supplied,
  ${tokens(`${side}_protected_supplied_amount`)} AS ${side}_protected, ${tokens(`${side}_borrowed_amount`)} AS ${side}_borrowed`

const SUMMED = [
  'points',
  'supplied_usd',
  'protected_usd',
  'borrowed_usd',
  'supplied',
  'protected',
  'borrowed',
]

export const VALUES = [
  'position_count',
  ...['a', 'b'].flatMap((side) => ['token_address', ...SUMMED].map((value) => `${side}_${value}`)),
]

/** Sums positions by pool and date, without conditions and groups. */
export const SUMS_OF_POOLS = `SELECT pool_address, distribution_date, count(*)::int AS position_count,
  ${amounts('a')}, ${amounts('b')} FROM position`

/**
 * Refreshes the rollups of pools on these dates, in one pass over the dates' positions, and the
 * totals of pools, in one pass over their days. Rows that are up to date are not written.
 * @returns the number of rows that were wrong
 */
export async function refreshPoolDays(client: PoolClient, dates: string[]): Promise<number> {
  const topology = await topologyOf(client)
  await client.query(
    `CREATE TEMP TABLE refreshed_pool_day ON COMMIT DROP AS
     ${SUMS_OF_POOLS} WHERE distribution_date = ANY($1::date[]) GROUP BY 1, 2`,
    [dates],
  )
  await client.query('ANALYZE refreshed_pool_day')
  const { rows: gone } = await client.query<{ pool: string; date: string }>(
    `SELECT d.pool_address AS pool, d.distribution_date::text AS date FROM pool_day d
     WHERE d.distribution_date = ANY($1::date[]) AND NOT EXISTS (SELECT FROM refreshed_pool_day s
       WHERE s.pool_address = d.pool_address AND s.distribution_date = d.distribution_date)`,
    [dates],
  )
  if (gone.length > 0)
    await client.query(
      `DELETE FROM pool_day d USING unnest($1::text[], $2::date[]) AS gone(pool, date)
       WHERE d.pool_address = gone.pool AND d.distribution_date = gone.date`,
      [gone.map(({ pool }) => pool), gone.map(({ date }) => date)],
    )
  const key = ['pool_address', 'distribution_date']
  const days = await mergeRows(client, topology, {
    into: 'pool_day',
    key,
    values: VALUES,
    from: 'refreshed_pool_day',
  })
  await client.query('DROP TABLE refreshed_pool_day')
  await client.query(
    'DELETE FROM pool_total WHERE pool_address NOT IN (SELECT pool_address FROM pool_day)',
  )
  const from =
    '(SELECT pool_address, sum(a_points + b_points)::bigint AS points FROM pool_day GROUP BY 1)'
  const totals = await mergeRows(client, topology, {
    into: 'pool_total',
    key: ['pool_address'],
    values: ['points'],
    from,
  })
  return gone.length + days + totals
}
