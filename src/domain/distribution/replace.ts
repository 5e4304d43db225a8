import type { PoolClient } from 'pg'
import { snakeCase } from '../../db/lists/column.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import { type Conflict, findConflicts } from '../dataset/conflicts.ts'
import { records } from '../dataset/records.ts'
import { storePairs, storePositions, type WrittenDate } from '../dataset/store-positions.ts'
import { rulesOfDay } from '../multiplier/rule.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'

const KEY = records.positions.key.map(snakeCase)

/**
 * Keeps one staged record of each key, in key order, so that inserts go to neighbouring index pages.
 * @param count the number of staged records
 * @returns a record with the key of an earlier one, but other values
 */
export async function sortStaged(client: PoolClient, count: number): Promise<Conflict | undefined> {
  await client.query('ALTER TABLE staged RENAME TO arrived')
  const { rowCount } = await client.query(`CREATE TEMP TABLE staged ON COMMIT DROP AS
    SELECT DISTINCT ON (${KEY.join(', ')}) * FROM arrived ORDER BY ${KEY.join(', ')}, line DESC`)
  const { conflicts } = rowCount === count ? { conflicts: [] } : await findConflicts(client, 'arrived')
  await client.query('DROP TABLE arrived')
  // Statistics of all columns would take longer than sorting.
  await client.query(`ANALYZE staged (${KEY.join(', ')})`)
  return conflicts[0]
}

/** Removes stored positions of the day that are not staged. @returns their users */
export async function removeOthers(client: PoolClient, day: string): Promise<string[]> {
  const { rows } = await client.query<{ user_address: string }>(
    `WITH removed AS (
       DELETE FROM stored_position t WHERE t.distribution_date = $1 AND NOT EXISTS (
         SELECT FROM (SELECT s.user_address, pool.key FROM staged s JOIN pool ON pool.id = s.market_address OFFSET 0) s
         WHERE s.user_address = t.user_address AND s.key = t.pool_key)
       RETURNING t.user_address)
     SELECT DISTINCT user_address FROM removed`,
    [day],
  )
  return rows.map((row) => row.user_address)
}

/**
 * Stores the staged positions of a date with the points that the rules of the date yield, and their users, in one pass.
 * @returns the newest multiplier revision behind the points
 */
export async function replacePositions(
  client: PoolClient,
  basePoints: BasePoints,
  day: string,
  runId: string | null,
): Promise<string> {
  const topology = await topologyOf(client)
  const storing = { run: runId ?? 'NULL', day: `date '${day}'`, changed: false }
  const dates: WrittenDate[] = []
  for (const text of [...storePairs(topology), ...storePositions(basePoints, storing, topology)])
    dates.push(...(await client.query<WrittenDate>(text)).rows)
  await client.query(
    `INSERT INTO "user" SELECT DISTINCT user_address FROM staged s
     WHERE NOT EXISTS (SELECT FROM "user" u WHERE u.address = s.user_address) ORDER BY 1 ON CONFLICT DO NOTHING`,
  )
  return revisionOf(dates)
}

/** Computes the points of all positions of a date with the rules of the date. @returns as `replacePositions` */
export async function recompute(
  client: PoolClient,
  basePoints: BasePoints,
  day: string,
  runId: string | null,
): Promise<string> {
  const { pointsA, pointsB } = pointsSql(basePoints, 't', 'm')
  const { rows } = await client.query<{ revision: string }>(
    `WITH computed AS (
       UPDATE stored_position t SET points_a = ${pointsA}, points_b = ${pointsB}, run_id = $2, given = false
       FROM ${rulesOfDay('$1')} m
       WHERE t.distribution_date = $1 AND m.key = t.pool_key)
     SELECT coalesce(max(id), 0) AS revision FROM multiplier_revision`,
    [day, runId],
  )
  return revisionOf(rows)
}

function revisionOf([row]: Pick<WrittenDate, 'revision'>[]): string {
  if (!row) throw new Error('a run saw no revision of the multipliers')
  return row.revision
}
