import type { Queryable, Writer } from '../../db/write.ts'
import { keyColumns, records } from './records.ts'

/** The file of a day has one snapshot of each position. Days are of UTC. */
export const DAY_SECONDS = 86_400

/** The files in which a position has one record a day. */
export type DailyFile = 'market-snapshots' | 'vault-snapshots'
export const isDaily = (file: string): file is DailyFile =>
  file === 'market-snapshots' || file === 'vault-snapshots'

const positionOf = (file: DailyFile) =>
  keyColumns(records[file]).filter((column) => column !== 'timestamp')

// True of snapshots of one position on one day. An index finds the range of times.
const samePositionAndDay = (file: DailyFile, one: string, other: string) =>
  `${positionOf(file)
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(' AND ')}
   AND ${one}.timestamp BETWEEN ${other}.timestamp - ${other}.timestamp % ${DAY_SECONDS}
     AND ${other}.timestamp - ${other}.timestamp % ${DAY_SECONDS} + ${DAY_SECONDS - 1}`

/** True if no staged position has two snapshots of a day. */
export async function isStagedDaily(client: Queryable, file: DailyFile): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM staged
     GROUP BY ${positionOf(file).join(', ')}, timestamp / ${DAY_SECONDS}
     HAVING count(*) > 1 LIMIT 1`,
  )
  return rowCount === 0
}

/** Leaves the newest staged snapshot of each position and day. */
export async function stageDaily(client: Queryable, file: DailyFile): Promise<void> {
  const position = positionOf(file)
  const columnsOf = (row: string) => position.map((column) => `${row}.${column}`).join(', ')
  await client.query(
    `DELETE FROM staged s USING (
       SELECT ${position.join(', ')}, timestamp / ${DAY_SECONDS} AS day, max(timestamp) AS newest
       FROM staged
       GROUP BY ${position.join(', ')}, timestamp / ${DAY_SECONDS}
       HAVING count(*) > 1) d
     WHERE (${columnsOf('s')}, s.timestamp / ${DAY_SECONDS}) = (${columnsOf('d')}, d.day)
       AND s.timestamp < d.newest`,
  )
}

/**
 * Removes the snapshot that a staged one of its day replaces. A day of which an import stored
 * several keeps them.
 */
export async function removeReplaced(writer: Writer, file: DailyFile): Promise<void> {
  const { table } = records[file]
  await writer.query(
    `DELETE FROM ${table} t USING ${writer.temporary('staged')} s
     WHERE ${samePositionAndDay(file, 't', 's')} AND t.timestamp <> s.timestamp
       AND NOT EXISTS (
         SELECT FROM ${table} o
         WHERE ${samePositionAndDay(file, 'o', 't')} AND o.timestamp <> t.timestamp)`,
  )
}

/**
 * Removes all stored snapshots but the newest of each position and day.
 * @returns how many those are
 */
export async function keepNewestOfDays(client: Queryable, file: DailyFile): Promise<number> {
  const { table } = records[file]
  const { rowCount } = await client.query(
    `DELETE FROM ${table} t WHERE EXISTS (
       SELECT FROM ${table} o
       WHERE ${samePositionAndDay(file, 'o', 't')} AND o.timestamp > t.timestamp)`,
  )
  return rowCount ?? 0
}
