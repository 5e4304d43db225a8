import { exact } from '../../db/exact-sum.ts'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'

// SQL for a sum of USD to 6 decimals, over integers, so that the order of addition does not matter.
// Nearly all values fit a bigint, which is much faster than numeric.
const sum = (usd: string) => {
  const millionths = `round(greatest(least(${usd}, 1e300), -1e300) * 1e6)`
  const part = (type: string, fits: string) =>
    `coalesce(sum(${millionths}::${type}) FILTER (WHERE abs(${usd}) ${fits} 9e12), 0)`
  return `((${part('bigint', '<')} + ${part('numeric', '>=')}) * 0.000001)::float8`
}

// SQL for an exact sum of whole tokens. Most are 0.
const tokens = (amount: string) =>
  `coalesce(sum(${exact(amount)}) FILTER (WHERE ${amount} <> 0), 0)`

const amounts = (side: 'a' | 'b') => `min(${side}_token_address) AS ${side}_token_address,
  sum(points_${side})::bigint AS ${side}_points,
  ${sum(`${side}_supplied_amount_usd`)} AS ${side}_supplied_usd,
  ${sum(`${side}_protected_supplied_amount_usd`)} AS ${side}_protected_usd,
  ${sum(`${side}_borrowed_amount_usd`)} AS ${side}_borrowed_usd,
  ${tokens(`${side}_supplied_amount`)} AS ${side}_supplied,
  ${tokens(`${side}_protected_supplied_amount`)} AS ${side}_protected,
  ${tokens(`${side}_borrowed_amount`)} AS ${side}_borrowed`

// The sums of a side of a pool, in the order of `amounts`, with their SQL types.
const AMOUNTS = {
  token_address: ADDRESS,
  points: 'bigint',
  supplied_usd: 'float8',
  protected_usd: 'float8',
  borrowed_usd: 'float8',
  supplied: 'numeric',
  protected: 'numeric',
  borrowed: 'numeric',
}

const ofSide = (side: 'a' | 'b') =>
  Object.fromEntries(Object.entries(AMOUNTS).map(([name, type]) => [`${side}_${name}`, type]))

/** Sums positions by pool and date, without conditions and groups. */
export const SUMS_OF_POOLS = `SELECT pool_address, distribution_date,
  count(*)::int AS position_count, ${amounts('a')}, ${amounts('b')} FROM position`

const KEY = ['pool_address', 'distribution_date']

const days = new TemporaryTable<string>('refreshed_pool_day', {
  pool_address: ADDRESS,
  distribution_date: 'date',
  position_count: 'int',
  ...ofSide('a'),
  ...ofSide('b'),
})

/** The columns of a pool's day that are not its key. */
export const VALUES = days.columns.filter((column) => !KEY.includes(column))

/**
 * Refreshes the rollups of pools on these dates, in one pass over the dates' positions, and the
 * totals of pools, in one pass over their days. Rows that are up to date are not written.
 * @returns the number of rows that were wrong
 */
export async function refreshPoolDays(writer: Writer, dates: string[]): Promise<number> {
  await days.fill(
    writer,
    `${SUMS_OF_POOLS} WHERE distribution_date = ANY($1::date[]) GROUP BY 1, 2`,
    [dates],
  )
  await days.analyze(writer)
  const removed = await removeDays(writer, dates)
  const stored = await writer.merge({
    into: 'pool_day',
    key: KEY,
    values: VALUES,
    from: 'refreshed_pool_day',
  })
  return removed + stored + (await refreshTotals(writer))
}

async function removeDays(writer: Writer, dates: string[]): Promise<number> {
  const { rows } = await writer.query<{ pool: string; date: string }>(
    `SELECT d.pool_address AS pool, d.distribution_date::text AS date FROM pool_day d
     WHERE d.distribution_date = ANY($1::date[]) AND NOT EXISTS (
       SELECT FROM refreshed_pool_day s
       WHERE s.pool_address = d.pool_address AND s.distribution_date = d.distribution_date)`,
    [dates],
  )
  if (rows.length === 0) return 0
  await writer.query(
    `DELETE FROM pool_day d USING unnest($1::text[], $2::date[]) AS gone(pool, date)
     WHERE d.pool_address = gone.pool AND d.distribution_date = gone.date`,
    [rows.map(({ pool }) => pool), rows.map(({ date }) => date)],
  )
  return rows.length
}

async function refreshTotals(writer: Writer): Promise<number> {
  await writer.query(
    'DELETE FROM pool_total WHERE pool_address NOT IN (SELECT pool_address FROM pool_day)',
  )
  return writer.merge({
    into: 'pool_total',
    key: ['pool_address'],
    values: ['points'],
    from: `(SELECT pool_address, sum(a_points + b_points)::bigint AS points
      FROM pool_day GROUP BY 1)`,
  })
}
