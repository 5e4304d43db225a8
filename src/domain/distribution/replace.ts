import type { PoolClient } from 'pg'
import { snakeCase } from '../../db/lists/column.ts'
import { records } from '../dataset/records.ts'
import { positionId } from '../dataset/upsert.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'

const { fields, key, besides = [] } = records.positions
const KEY = key.map(snakeCase)
const COLUMNS = Object.keys(fields)
  .filter((field) => !besides.includes(field))
  .map(snakeCase)
const VALUES = COLUMNS.filter((column) => !KEY.includes(column))

/** Condition: a stored row has the date $1, and the user and pool of the staged row `s`. */
const same = (stored: string) =>
  `${stored}.distribution_date = $1 AND ${stored}.user_address = s.user_address AND ${stored}.market_address = s.market_address`
/** The new value of a column of the stored position `t`. */
const replacing = (column: string) => (column === 'id' ? 'coalesce(s.id, t.id)' : `s.${column}`)
const DIFFERENT = `(${VALUES.map((column) => `t.${column}`).join(', ')}) IS DISTINCT FROM (${VALUES.map(replacing).join(', ')})`

/**
 * Keeps the last staged record of each key, in key order, so that inserts go to neighbouring index pages.
 */
export async function sortStaged(client: PoolClient): Promise<void> {
  await client.query('ALTER TABLE staged RENAME TO arrived')
  await client.query(`CREATE TEMP TABLE staged ON COMMIT DROP AS
    SELECT DISTINCT ON (${KEY.join(', ')}) * FROM arrived ORDER BY ${KEY.join(', ')}, line DESC`)
  await client.query('DROP TABLE arrived')
  // Statistics of all columns would take longer than sorting.
  await client.query(`ANALYZE staged (${KEY.join(', ')})`)
}

/** The difference between the staged and the stored positions of a date. */
export interface Difference {
  /** Whether nothing is stored for the date. */
  isNew: boolean
  /** Positions that are only stored, that differ, and that are only staged. */
  removed: number
  changed: number
  added: number
}

/** Compares a date's positions in one pass, so that only differences are written. */
export async function compareStaged(client: PoolClient, day: string): Promise<Difference> {
  const empty = await client.query(
    `(SELECT FROM position WHERE distribution_date = $1 ORDER BY id LIMIT 1)
     UNION ALL (SELECT FROM position_points WHERE distribution_date = $1 ORDER BY user_address LIMIT 1)`,
    [day],
  )
  if (empty.rows.length === 0) return { isNew: true, removed: 0, changed: 0, added: 1 }
  const { rows } = await client.query<Omit<Difference, 'isNew'>>(
    `SELECT count(*) FILTER (WHERE s.line IS NULL)::int AS removed,
       count(*) FILTER (WHERE s.line IS NOT NULL AND t.id IS NOT NULL AND ${DIFFERENT})::int AS changed,
       count(*) FILTER (WHERE t.id IS NULL)::int AS added
     FROM staged s FULL JOIN (SELECT * FROM position WHERE distribution_date = $1) t USING (${KEY.join(', ')})`,
    [day],
  )
  if (!rows[0]) throw new Error('two sets of positions were not compared')
  return { isNew: false, ...rows[0] }
}

/** Removes stored positions of the day that are not staged. @returns their users */
export async function removeOthers(client: PoolClient, day: string): Promise<string[]> {
  const { rows } = await client.query<{ user_address: string }>(
    `WITH removed AS (
       DELETE FROM position t WHERE t.distribution_date = $1 AND NOT EXISTS (SELECT FROM staged s WHERE ${same('t')})
       RETURNING t.user_address)
     SELECT DISTINCT user_address FROM removed`,
    [day],
  )
  await client.query(
    `DELETE FROM position_points t
     WHERE t.distribution_date = $1 AND NOT EXISTS (SELECT FROM staged s WHERE ${same('t')})`,
    [day],
  )
  return rows.map((row) => row.user_address)
}

/**
 * Stores the staged positions of a date and their users. Unchanged positions are not written; new ones get their
 * points. Each statement is one pass over the date's rows.
 * @returns the newest multiplier revision behind all points of the date. Undefined if some points are still to be
 *   computed
 */
export async function replacePositions(
  client: PoolClient,
  basePoints: BasePoints,
  day: string,
  { isNew, changed, added }: Difference,
  runId: string | null,
): Promise<string | undefined> {
  if (changed > 0)
    await client.query(
      `UPDATE position t SET ${VALUES.map((column) => `${column} = ${replacing(column)}`).join(', ')}
       FROM staged s WHERE ${same('t')} AND ${DIFFERENT}`,
      [day],
    )
  if (added === 0) return undefined

  const missing = (table: string) =>
    isNew ? 's.distribution_date = $1' : `NOT EXISTS (SELECT FROM ${table} t WHERE ${same('t')})`
  await client.query(
    `INSERT INTO position (${COLUMNS.join(', ')})
     SELECT ${COLUMNS.map((column) => (column === 'id' ? `coalesce(s.id, ${positionId})` : `s.${column}`)).join(', ')}
     FROM staged s WHERE ${missing('position')}`,
    [day],
  )
  await client.query(
    `INSERT INTO "user" SELECT DISTINCT user_address FROM staged s
     WHERE NOT EXISTS (SELECT FROM "user" u WHERE u.address = s.user_address) ORDER BY 1 ON CONFLICT DO NOTHING`,
  )
  const { pointsA, pointsB } = pointsSql(basePoints, 's', 'm')
  const { rows } = await client.query<{ revision: string }>(
    `WITH computed AS (
       INSERT INTO position_points (distribution_date, user_address, market_address, points_a, points_b, run_id)
       SELECT s.distribution_date, s.user_address, s.market_address, ${pointsA}, ${pointsB}, $2
       FROM staged s LEFT JOIN multiplier m ON m.pool_address = s.market_address
       WHERE ${missing('position_points')})
     SELECT coalesce(max(id), 0) AS revision FROM multiplier_revision`,
    [day, runId],
  )
  return isNew ? rows[0]?.revision : undefined
}
