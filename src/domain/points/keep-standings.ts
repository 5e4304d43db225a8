import type { PoolClient } from 'pg'

/**
 * Keeps the standings of past dates right before positions of `dates` are settled: a date that comes after all others
 * leaves the accounts' present places behind as those of the date before it; a date among others makes those from it on
 * wrong, and `bringStandingsUp` is to compute them anew. It never takes longer than one pass over the accounts.
 */
export async function keepStandings(client: PoolClient, dates: string[]): Promise<void> {
  if (dates.length === 0) return
  const { rows } = await client.query<{ first: string; newest: string | null; later: boolean }>(
    `SELECT min(d)::text AS first, (SELECT max(date)::text FROM distribution) AS newest,
       min(d) > (SELECT max(date) FROM distribution) AS later FROM unnest($1::date[]) d`,
    [dates],
  )
  const [{ first, newest, later } = { first: '', newest: null, later: false }] = rows
  await client.query('DELETE FROM standing_day WHERE date >= $1', [first])
  if (newest === null || !later) return
  await client.query('DELETE FROM standing WHERE distribution_date = $1', [newest])
  await client.query(
    `INSERT INTO standing (distribution_date, user_address, points, rank)
     SELECT $1, user_address, points, rank FROM account ORDER BY user_address`,
    [newest],
  )
  await client.query('INSERT INTO standing_day (date) VALUES ($1) ON CONFLICT DO NOTHING', [newest])
}
