import type { Queryable, Writer } from '../../db/write.ts'
import { columnOf, type RecordFormat, records } from './records.ts'

/** The documents say: one snapshot is kept per day. Days are of UTC. */
export const DAY_SECONDS = 86_400

/** The records of which a position has one a day. */
export type DailyFile = 'market-snapshots' | 'vault-snapshots'
export const isDaily = (file: string): file is DailyFile =>
  file === 'market-snapshots' || file === 'vault-snapshots'

const positionOf = (format: RecordFormat) =>
  format.key.filter((field) => field !== 'timestamp').map((field) => columnOf(format, field))
const equal = (columns: string[], one: string, other: string) =>
  columns.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ')
/** A range, which an index finds. */
const sameDay = (one: string, other: string) =>
  `${one}.timestamp BETWEEN ${other}.timestamp - ${other}.timestamp % ${DAY_SECONDS}
   AND ${other}.timestamp - ${other}.timestamp % ${DAY_SECONDS} + ${DAY_SECONDS - 1}`

const byDay = (position: string[]) =>
  `GROUP BY ${position.join(', ')}, timestamp / ${DAY_SECONDS} HAVING count(*) > 1`

/** True if no staged position has two snapshots of a day. */
export async function isStagedDaily(client: Queryable, file: DailyFile): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM staged ${byDay(positionOf(records[file]))} LIMIT 1`,
  )
  return rowCount === 0
}

/** Leaves the newest staged snapshot of each position and day. */
export async function stageDaily(client: Queryable, file: DailyFile): Promise<void> {
  const position = positionOf(records[file])
  await client.query(
    `DELETE FROM staged s USING (
       SELECT ${position.join(', ')}, timestamp / ${DAY_SECONDS} AS day, max(timestamp) AS newest FROM staged
       ${byDay(position)}) d
     WHERE ${equal(position, 's', 'd')} AND s.timestamp / ${DAY_SECONDS} = d.day AND s.timestamp < d.newest`,
  )
}

/**
 * Removes the snapshot that a staged one of its day replaces. A day of which an import stored
 * several keeps them.
 */
export async function removeReplaced(writer: Writer, file: DailyFile): Promise<void> {
  const { table } = records[file]
  const position = positionOf(records[file])
  await writer.query(
    `DELETE FROM ${table} t USING ${writer.temporary('staged')} s
     WHERE ${equal(position, 't', 's')} AND ${sameDay('t', 's')} AND t.timestamp <> s.timestamp
       AND NOT EXISTS (SELECT FROM ${table} o WHERE ${equal(position, 'o', 't')} AND ${sameDay('o', 't')}
         AND o.timestamp <> t.timestamp)`,
  )
}

/**
 * Removes all stored snapshots but the newest of each position and day.
 * @returns how many those are
 */
export async function keepNewestOfDays(client: Queryable, file: DailyFile): Promise<number> {
  const { table } = records[file]
  const { rowCount } = await client.query(
    `DELETE FROM ${table} t WHERE EXISTS (SELECT FROM ${table} o
       WHERE ${equal(positionOf(records[file]), 'o', 't')} AND ${sameDay('o', 't')} AND o.timestamp > t.timestamp)`,
  )
  return rowCount ?? 0
}
