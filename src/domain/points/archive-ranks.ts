import type { Queryable } from '../../db/write.ts'

/**
 * Maintains rank history before the rollups of `dates` are refreshed. If `dates` are newer than all
 * others, the current ranks are archived as those of the date before. Otherwise the ranks from the
 * first of `dates` on are outdated, and `rebuildRankHistory` recomputes them. Takes at most one
 * pass over the accounts.
 */
export async function archiveRanks(client: Queryable, dates: string[]): Promise<void> {
  if (dates.length === 0) return
  const { rows } = await client.query<{ first: string; newest: string | null; later: boolean }>(
    `SELECT min(d)::text AS first, (SELECT max(date)::text FROM distribution) AS newest,
       min(d) > (SELECT max(date) FROM distribution) AS later FROM unnest($1::date[]) d`,
    [dates],
  )
  const [{ first, newest, later } = { first: '', newest: null, later: false }] = rows
  await client.query('DELETE FROM rank_history_date WHERE date >= $1', [first])
  if (newest === null || !later) return
  await client.query('DELETE FROM rank_history WHERE distribution_date = $1', [newest])
  await client.query(
    `INSERT INTO rank_history (distribution_date, user_address, points, rank)
     SELECT $1, user_address, points, rank FROM account ORDER BY user_address`,
    [newest],
  )
  await client.query('INSERT INTO rank_history_date (date) VALUES ($1) ON CONFLICT DO NOTHING', [
    newest,
  ])
}
