import type { Pool } from 'pg'
import { DAY_MS, isoDay } from '../../time.ts'

/** The stored distribution dates in order, in an inclusive range or all. */
export async function storedDates(
  pool: Pool,
  range: { from?: Date; to?: Date | undefined } = {},
): Promise<Date[]> {
  const day = (date: Date | undefined) => (date ? isoDay(date) : null)
  const { rows } = await pool.query<{ date: string }>(
    `SELECT date::text AS date FROM distribution
     WHERE ($1::date IS NULL OR date >= $1) AND ($2::date IS NULL OR date <= $2) ORDER BY date`,
    [day(range.from), day(range.to)],
  )
  return rows.map((row) => new Date(row.date))
}

/** The day after the newest distribution. Undefined without one. */
export async function dayAfterNewest(pool: Pool): Promise<Date | undefined> {
  const { rows } = await pool.query<{ date: string | null }>(
    'SELECT (max(date) + 1)::text AS date FROM distribution',
  )
  return rows[0]?.date ? new Date(rows[0].date) : undefined
}

/** Every date of an inclusive range in order, as midnight UTC. */
export function runnableDates(from: Date, to: Date): Date[] {
  const dates: Date[] = []
  for (let at = from.getTime(); at <= to.getTime(); at += DAY_MS) dates.push(new Date(at))
  return dates
}
