import type { Queryable } from '../../db/write.ts'
import { DAY_MS, isoDay } from '../../time.ts'

/** The stored distribution dates in order, in an inclusive range or all. */
export async function storedDates(
  client: Queryable,
  range: { from?: Date; to?: Date | undefined } = {},
): Promise<Date[]> {
  const day = (date: Date | undefined) => (date ? isoDay(date) : null)
  const { rows } = await client.query<{ date: string }>(
    `SELECT date::text AS date FROM distribution
     WHERE ($1::date IS NULL OR date >= $1) AND ($2::date IS NULL OR date <= $2) ORDER BY date`,
    [day(range.from), day(range.to)],
  )
  return rows.map((row) => new Date(row.date))
}

/** The newest stored distribution date, or the last one up to a date. Null without one. */
export async function newestDate(client: Queryable, until?: Date): Promise<Date | null> {
  const { rows } = await client.query<{ date: string | null }>(
    `SELECT max(date)::text AS date FROM distribution
     WHERE date <= coalesce($1::date, 'infinity')`,
    [until ? isoDay(until) : null],
  )
  return rows[0]?.date ? new Date(rows[0].date) : null
}

/** The day after the newest distribution. Undefined without one. */
export async function dayAfterNewest(client: Queryable): Promise<Date | undefined> {
  const newest = await newestDate(client)
  return newest ? new Date(newest.getTime() + DAY_MS) : undefined
}

/** Every date of an inclusive range in order, as midnight UTC. */
export function datesBetween(from: Date, to: Date): Date[] {
  const dates: Date[] = []
  for (let at = from.getTime(); at <= to.getTime(); at += DAY_MS) dates.push(new Date(at))
  return dates
}
