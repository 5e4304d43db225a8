import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'

/**
 * Checks that runs may write these dates: every date is in a season if there are any, and in none
 * whose board is final.
 * @param reopen allows dates of seasons whose board is final
 * @throws CONFLICT, which names the first date that a run may not write
 */
export async function admitDates(client: Queryable, days: string[], reopen = false): Promise<void> {
  const { rows } = await client.query<{
    day: string
    season: string | null
    closedAt: Date | null
  }>(
    `SELECT d.day::text AS day, s.name AS season, s.closed_at AS "closedAt"
     FROM unnest($1::date[]) AS d(day) LEFT JOIN season s ON ${HAS_DATE}
     WHERE s.name IS NULL AND EXISTS (SELECT FROM season) OR s.closed_at IS NOT NULL AND NOT $2
       ORDER BY d.day LIMIT 1`,
    [days, reopen],
  )
  const [refused] = rows
  if (!refused) return
  const { day, season, closedAt } = refused
  throw new GatewayError(
    'CONFLICT',
    season === null
      ? `No season has the date ${day}, so it was not computed: add a season with that date, or ` +
          'move one.'
      : `The board of ${season} has been final since ${closedAt && isoDay(closedAt)}, so ${day} ` +
          'was not computed: reopen it (--reopen, or reopen: true) to change its points.',
  )
}

/** The dates that are in a season: all if there are none. */
export async function datesInSeasons(pool: Queryable, days: string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ day: string }>(
    `SELECT d.day::text AS day FROM unnest($1::date[]) AS d(day)
     WHERE NOT EXISTS (SELECT FROM season) OR EXISTS (SELECT FROM season s WHERE ${HAS_DATE})`,
    [days],
  )
  return new Set(rows.map(({ day }) => day))
}

/**
 * Reopens the seasons whose final board runs have changed, until they are closed again, and records
 * that with the runs. The caller's transaction has the writers' lock.
 */
export async function reopenSeasons(
  client: Queryable,
  days: string[],
  runIds: (string | null)[],
): Promise<void> {
  await client.query(
    `WITH reopened AS (
       UPDATE season s SET digest = NULL, closed_at = NULL
       WHERE closed_at IS NOT NULL
         AND EXISTS (SELECT FROM unnest($1::date[]) AS d(day) WHERE ${HAS_DATE})
       RETURNING s.*)
     UPDATE run r SET reopened = s.name FROM reopened s
     WHERE r.id = ANY($2::bigint[]) AND r.date BETWEEN s.starts_at AND s.ends_at`,
    [days, runIds],
  )
}

const HAS_DATE = "d.day BETWEEN s.starts_at AND coalesce(s.ends_at, 'infinity')"
