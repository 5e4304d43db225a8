import type { Pool } from 'pg'
import { inWrite, type Queryable } from '../../db/write.ts'

/**
 * Computes the rank history of past dates that are missing or outdated, oldest first, each from the
 * date before it. Each date has its own transaction, so that a run waits for at most one.
 * @returns the number of dates computed
 */
export async function rebuildRankHistory(pool: Pool, signal?: AbortSignal): Promise<number> {
  for (let done = 0; ; done++) {
    signal?.throwIfAborted()
    const { rows } = await pool.query(`${MISSING_RANKS} LIMIT 1`)
    if (rows.length === 0) return done
    await inWrite({ pool }, async (writer) => {
      await writer.lock()
      const { rows } = await writer.query<{ date: string; before: string | null }>(
        `SELECT m.date::text AS date, (SELECT max(date)::text FROM distribution d
          WHERE d.date < m.date) AS before
         FROM (${MISSING_RANKS} LIMIT 1) m`,
      )
      const [missing] = rows
      if (missing) await computeRanks(writer, missing)
    })
  }
}

/** Past dates without up-to-date ranks, in order. */
export const MISSING_RANKS = `SELECT date FROM distribution d
  WHERE date < (SELECT max(date) FROM distribution)
  AND NOT EXISTS (SELECT FROM rank_history_date s WHERE s.date = d.date) ORDER BY date`

async function computeRanks(
  client: Queryable,
  { date, before }: { date: string; before: string | null },
): Promise<void> {
  await client.query('DELETE FROM rank_history WHERE distribution_date = $1', [date])
  await client.query(
    `INSERT INTO rank_history (distribution_date, user_address, points, rank)
     SELECT $1, user_address, points, row_number() OVER (ORDER BY points DESC, user_address)
     FROM (SELECT a.user_address, coalesce(b.points, 0) + coalesce(d.points, 0) AS points
       FROM account a
       LEFT JOIN (SELECT * FROM rank_history WHERE distribution_date = $2 OFFSET 0) b
         USING (user_address)
       LEFT JOIN (SELECT * FROM account_day WHERE distribution_date = $1 OFFSET 0) d
         USING (user_address)
       WHERE a.first_distribution_date <= $1) t`,
    [date, before],
  )
  await client.query('INSERT INTO rank_history_date (date) VALUES ($1)', [date])
}
