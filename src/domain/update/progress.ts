import type { Queryable, Writer } from '../../db/write.ts'
import { DAY_SECONDS, isDaily } from '../dataset/daily.ts'
import { columnOf, records } from '../dataset/records.ts'
import type { Leg } from './legs.ts'

/** The records of a source from one date to another. */
export interface Held {
  records: number
  users: number
  value: number
}

export interface Progress {
  newest: Date
  /** The next update requests records from here on again. */
  since: Date
  /** The records of the source from there to the newest. */
  held: Held
}

export async function readProgress(
  client: Queryable,
  { name }: Leg,
): Promise<Progress | undefined> {
  const { rows } = await client.query<Omit<Progress, 'held'> & Held>(
    `SELECT newest, since, record_count::float8 AS records, user_count::float8 AS users,
      value_usd AS value
     FROM leg_progress WHERE leg = $1`,
    [name],
  )
  const [row] = rows
  return row && { newest: row.newest, since: row.since, held: row }
}

/**
 * Stores how far a leg has come, from its staged records. Chains without one keep the date of their
 * newest.
 */
export async function writeProgress(
  client: Queryable,
  { name, dated, dateSql }: Leg,
  source: string,
  { newest, since, held }: Progress,
): Promise<void> {
  await client.query(
    `INSERT INTO leg_progress (leg, source, newest, since, record_count, user_count, value_usd,
      updated_at, chains)
     SELECT $1, $2, $3, $4, $5, $6, $7, clock_timestamp(),
       (SELECT jsonb_object_agg(chain_id, newest)
       FROM (
         SELECT chain_id, ${dated ? `max(${dateSql})` : '$3::timestamptz(3)'} AS newest
         FROM staged GROUP BY chain_id) c)
     ON CONFLICT (leg) DO UPDATE
     SET (source, newest, since, record_count, user_count, value_usd, updated_at, chains)
       = (excluded.source, excluded.newest, excluded.since, excluded.record_count,
         excluded.user_count,
          excluded.value_usd, excluded.updated_at, leg_progress.chains || excluded.chains)`,
    [name, source, newest, since, held.records, held.users, held.value],
  )
}

/** The next update requests all records. */
export async function forgetProgress(client: Queryable, { name }: Leg): Promise<void> {
  await client.query('DELETE FROM leg_progress WHERE leg = $1', [name])
}

/** Sums up the staged records of a time, which ends with that of a date, or all without dates. */
export async function stagedBetween(
  client: Queryable,
  leg: Leg,
  from: Date,
  to: Date,
): Promise<Held> {
  const { rows } = await client.query<Held>(
    `SELECT count(*)::float8 AS records, (${leg.usersSql})::float8 AS users,
      (${leg.valueSql})::float8 AS value
     FROM staged ${leg.dated ? `WHERE ${leg.dateSql} BETWEEN $1 AND $2` : ''}`,
    leg.dated ? [leg.startOf(from), leg.endOf(to)] : [],
  )
  return rows[0] ?? { records: 0, users: 0, value: 0 }
}

/**
 * Counts the stored records of users since a date that the source does not have: they stay. A
 * snapshot is there if one of its day is.
 */
export async function countKept(
  writer: Writer,
  { name }: Leg,
  since: Date,
  newest: Date,
): Promise<number> {
  const format = records[name]
  const { table, key } = format
  const column = (row: string, field: string) =>
    isDaily(name) && field === 'timestamp'
      ? `${row}.timestamp / ${DAY_SECONDS}`
      : `${row}.${columnOf(format, field)}`
  const equal = key.map((field) => `${column('s', field)} = ${column('t', field)}`).join(' AND ')
  const staged = writer.temporary('staged')
  const { rows } = await writer.query<{ kept: number }>(
    `SELECT count(*)::float8 AS kept FROM ${table} t
     WHERE t.timestamp BETWEEN $1 AND $2 AND NOT EXISTS (SELECT FROM ${staged} s WHERE ${equal})`,
    [since, newest].map((date) => String(Math.floor(date.getTime() / 1000))),
  )
  return rows[0]?.kept ?? 0
}

/**
 * Says what a source has lost since the last update, as a clause.
 * @param now what it has in the time of `before`
 * @param maxDrop the share of users and value that it may lose
 */
export function lossOf(
  leg: Leg,
  before: Progress,
  now: Held,
  newest: Date | undefined,
  maxDrop: number,
): string | undefined {
  const { held } = before
  const shrank = `it shrank: it has ${now.records} of ${held.records} records`
  if (!leg.dated) return now.records < held.records ? shrank : undefined
  const time = `from ${before.since.toISOString()} to ${before.newest.toISOString()}`
  if (!newest || newest < before.newest) {
    const clause = newest
      ? `its newest record is of ${newest.toISOString()}`
      : `it has no records from ${before.since.toISOString()} on`
    return `it went back in time: ${clause}, and it had one of ${before.newest.toISOString()}`
  }
  if (now.records < held.records) return `${shrank} ${time}`
  for (const what of ['users', 'value'] as const)
    if (now[what] < held[what] * (1 - maxDrop)) {
      const [has, had] = [now[what], held[what]].map((value) => Number(value.toFixed(2)))
      const lost = what === 'users' ? 'users' : 'value in USD'
      return `it lost ${lost}: it has ${has} of ${had} ${time}`
    }
  return undefined
}
