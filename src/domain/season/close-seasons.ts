import type { Pool } from 'pg'
import { inWrite, type Queryable } from '../../db/write.ts'
import { isoDay } from '../../time.ts'
import { digestSql } from '../points/digest.ts'
import { statusOn } from './season.ts'

/**
 * Brings the status of seasons to a date, and makes the boards of those final that have ended and
 * whose last date has a distribution. Cheap to call if nothing is due.
 * @returns the names of the seasons whose board is final now
 */
export async function closeSeasonsDue(pool: Pool, now: Date): Promise<string[]> {
  const today = isoDay(now)
  const { rowCount } = await pool.query(
    `SELECT FROM season t WHERE ${BEHIND} OR ${UNCLOSED} LIMIT 1`,
    [today],
  )
  if (rowCount === 0) return []
  return inWrite({ pool }, async (writer) => {
    await writer.lock()
    return closeSeasons(writer, today)
  })
}

/** The same in the caller's transaction, which has the writers' lock. */
export async function closeSeasons(client: Queryable, today: string): Promise<string[]> {
  await client.query(`UPDATE season t SET status = ${STATUS} WHERE ${BEHIND}`, [today])
  const { rows } = await client.query<{ name: string; startsAt: string; endsAt: string }>(
    `SELECT name, starts_at::text AS "startsAt", ends_at::text AS "endsAt"
     FROM season t WHERE ${UNCLOSED} ORDER BY starts_at`,
    [today],
  )
  for (const { name, startsAt, endsAt } of rows) {
    const board = await client.query<{ digest: string }>(DIGEST, [startsAt, endsAt])
    await client.query(
      'UPDATE season SET digest = $2, closed_at = clock_timestamp() WHERE name = $1',
      [name, board.rows[0]?.digest],
    )
  }
  return rows.map(({ name }) => name)
}

const STATUS = statusOn('$1::date', 't.starts_at', 't.ends_at')
const BEHIND = `t.status <> ${STATUS}`
const UNCLOSED = `(t.ends_at < $1::date AND t.digest IS NULL AND EXISTS (SELECT FROM distribution d
  WHERE d.date = t.ends_at))`

// The digest of the points of users over distribution dates, both ends included.
const DIGEST = `WITH board AS MATERIALIZED (SELECT user_address, sum(points) AS points
  FROM account_day
    WHERE distribution_date BETWEEN $1::date AND $2::date GROUP BY user_address)
  SELECT ${digestSql()} AS digest FROM board`
