import type { Pool } from 'pg'
import { inWrite } from '../../db/write.ts'

/** Describes a digest of points. */
export const DIGEST_OF =
  'SHA-256, in hexadecimal, over one line for each user, sorted: address, a space, points with ' +
  'six decimals, a line feed'

/** SQL of the digest of a group of rows, one for each user, with points in millionths. */
export const digestSql = (points = 'points'): string =>
  `encode(sha256(convert_to(coalesce(string_agg(user_address || ' ' || round(${points} * 0.000001,
    6) || E'\\n', ''
    ORDER BY user_address COLLATE "C"), ''), 'UTF8')), 'hex')`

/**
 * Computes the digests of dates that were stored before there were digests. A run that stores one
 * of them meanwhile comes first.
 * @returns the number of dates
 */
export async function digestsDue(pool: Pool): Promise<number> {
  const missing = 'SELECT date FROM distribution WHERE digest IS NULL'
  if ((await pool.query(`${missing} LIMIT 1`)).rowCount === 0) return 0
  const { rows } = await pool.query<{ date: string; digest: string }>(
    `SELECT distribution_date::text AS date, ${digestSql()} AS digest FROM account_day
     WHERE distribution_date = ANY(ARRAY(${missing})) GROUP BY 1`,
  )
  return inWrite({ pool }, async (writer) => {
    await writer.lock()
    const { rowCount } = await writer.query(
      `UPDATE distribution d SET digest = c.digest
        FROM unnest($1::date[], $2::text[]) AS c(date, digest)
       WHERE d.date = c.date AND d.digest IS NULL`,
      [rows.map(({ date }) => date), rows.map(({ digest }) => digest)],
    )
    await writer.query(`UPDATE run r SET digest = d.digest
      FROM (SELECT * FROM distribution OFFSET 0) d
      WHERE d.run_id = r.id AND r.digest IS NULL`)
    return rowCount ?? 0
  })
}
