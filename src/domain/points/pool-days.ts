import type { PoolClient } from 'pg'

const sums = (side: 'a' | 'b') => `min(p.${side}_token_address) AS ${side}_token_address,
  sum(coalesce(pp.points_${side}, 0) ORDER BY p.user_address) AS ${side}_points,
  sum(p.${side}_supplied_amount_usd ORDER BY p.user_address) AS ${side}_supplied_usd,
  sum(p.${side}_protected_supplied_amount_usd ORDER BY p.user_address) AS ${side}_protected_usd,
  sum(p.${side}_borrowed_amount_usd ORDER BY p.user_address) AS ${side}_borrowed_usd`

const VALUES = [
  'position_count',
  ...['a', 'b'].flatMap((side) =>
    ['token_address', 'points', 'supplied_usd', 'protected_usd', 'borrowed_usd'].map((value) => `${side}_${value}`),
  ),
]
const listed = (row: string) => VALUES.map((value) => `${row}.${value}`).join(', ')

/**
 * Brings the pools' sums on these dates into line with their positions. Set-based: one pass over the dates' positions.
 * Rows that are right already stay as they are.
 */
export async function settlePoolDays(client: PoolClient, dates: string[]): Promise<void> {
  await client.query(
    `CREATE TEMP TABLE settled_pool ON COMMIT DROP AS
     SELECT p.market_address AS pool_address, p.distribution_date, count(*)::int AS position_count, ${sums('a')}, ${sums('b')}
     FROM position p LEFT JOIN (SELECT * FROM position_points WHERE distribution_date = ANY($1::date[])) pp
       USING (distribution_date, user_address, market_address)
     WHERE p.distribution_date = ANY($1::date[])
     GROUP BY p.market_address, p.distribution_date`,
    [dates],
  )
  await client.query('ANALYZE settled_pool')
  await client.query(
    `DELETE FROM pool_day d WHERE d.distribution_date = ANY($1::date[]) AND NOT EXISTS (SELECT FROM settled_pool s
       WHERE s.pool_address = d.pool_address AND s.distribution_date = d.distribution_date)`,
    [dates],
  )
  await client.query(`
    MERGE INTO pool_day d USING settled_pool s
      ON s.pool_address = d.pool_address AND s.distribution_date = d.distribution_date
    WHEN MATCHED AND (${listed('d')}) IS DISTINCT FROM (${listed('s')}) THEN
      UPDATE SET ${VALUES.map((value) => `${value} = s.${value}`).join(', ')}
    WHEN NOT MATCHED THEN
      INSERT (pool_address, distribution_date, ${VALUES.join(', ')})
      VALUES (s.pool_address, s.distribution_date, ${listed('s')})`)
  await client.query('DROP TABLE settled_pool')
}
