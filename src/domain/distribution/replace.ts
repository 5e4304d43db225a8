import type { PoolClient } from 'pg'
import { topologyOf } from '../../db/topology/find-topology.ts'
import { type Conflict, findConflicts } from '../dataset/conflicts.ts'
import { columnOf, records } from '../dataset/records.ts'
import { storePairs, storePositions, type WrittenDate } from '../dataset/store-positions.ts'
import { REASON } from '../ledger/reason.ts'
import { countEntries, ENTRIES, rulesChanged } from '../ledger/record.ts'
import { rulesOfDay } from '../multiplier/rule.ts'
import { computedOn } from '../points/computed.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'
import type { StoredDate, StoringRun } from './run.ts'

const KEY = records.positions.key.map((field) => columnOf(records.positions, field))

/**
 * Keeps one staged record of each key, in key order, so that inserts go to neighbouring index
 * pages.
 * @returns a record with the key of an earlier one, but other values
 */
export async function sortStaged(client: PoolClient, count: number): Promise<Conflict | undefined> {
  await client.query('ALTER TABLE staged RENAME TO arrived')
  const { rowCount } = await client.query(`CREATE TEMP TABLE staged ON COMMIT DROP AS
    SELECT DISTINCT ON (${KEY.join(', ')}) * FROM arrived ORDER BY ${KEY.join(', ')}, line DESC`)
  const { conflicts } =
    rowCount === count ? { conflicts: [] } : await findConflicts(client, 'arrived')
  await client.query('DROP TABLE arrived')
  // Statistics of all columns would take longer than sorting.
  await client.query(`ANALYZE staged (${KEY.join(', ')})`)
  return conflicts[0]
}

/** Removes stored positions of the day that are not staged, and notes that. @returns their users */
export async function removeOthers(
  client: PoolClient,
  day: string,
  { id, notes }: StoringRun,
): Promise<string[]> {
  const { form } = await topologyOf(client)
  const others = `t.distribution_date = $1 AND NOT EXISTS (
       SELECT FROM (SELECT s.user_address, pool.key FROM staged s JOIN pool ON pool.id = s.pool_address OFFSET 0) s
       WHERE s.user_address = t.user_address AND s.key = t.pool_key)`
  const note = (from: string) => `INSERT INTO position_change
     SELECT user_address, distribution_date, pool_key, ${id}, run_id, points_a + points_b, 0, ${REASON.POSITION_REMOVED}, given
     FROM ${from} WHERE points_a + points_b <> 0`
  const [before, noted] = form({
    one: [[], `, noted AS (${note('removed')})`],
    cluster: [[note(`(SELECT * FROM stored_position t WHERE ${others} OFFSET 0) removed`)], ''],
  })
  if (notes) for (const statement of before) await client.query(statement, [day])
  const { rows } = await client.query<{ user_address: string }>(
    `WITH removed AS (DELETE FROM stored_position t WHERE ${others} RETURNING t.*) ${notes ? noted : ''}
     SELECT DISTINCT user_address FROM removed`,
    [day],
  )
  return rows.map((row) => row.user_address)
}

/**
 * Stores the staged positions of a date with the points that the rules of the date yield, and their
 * users, in one pass.
 * @returns the newest multiplier revision behind the points
 */
export async function replacePositions(
  client: PoolClient,
  basePoints: BasePoints,
  day: string,
  { id, notes }: StoringRun,
): Promise<string> {
  const topology = await topologyOf(client)
  const storing = { run: id ?? 'NULL', day: `date '${day}'`, changed: false, notes }
  const dates: WrittenDate[] = []
  for (const text of [...storePairs(topology), ...storePositions(basePoints, storing, topology)])
    dates.push(...(await client.query<WrittenDate>(text)).rows)
  await client.query(
    `INSERT INTO "user" SELECT DISTINCT user_address FROM staged s
     WHERE NOT EXISTS (SELECT FROM "user" u WHERE u.user_address = s.user_address) ORDER BY 1 ON CONFLICT DO NOTHING`,
  )
  return revisionOf(dates)
}

/** Computes the points of all positions of a date with the rules of the date. */
export async function recompute(
  client: PoolClient,
  basePoints: BasePoints,
  day: string,
  { id, notes }: StoringRun,
): Promise<StoredDate> {
  const { pointsA, pointsB } = pointsSql(basePoints, 't', 'm')
  const update = `UPDATE stored_position t SET points_a = ${pointsA}, points_b = ${pointsB}, run_id = $2, given = false
    FROM ${rulesOfDay('$1')} m WHERE t.distribution_date = $1 AND m.key = t.pool_key`
  const summed = notes && (await returnsOldRows(client))
  if (summed)
    await client.query(`CREATE TEMP TABLE refreshed_day (user_address text COLLATE "C", distribution_date date, points bigint,
      position_count int, ledger bytea) ON COMMIT DROP`)
  else if (notes)
    await client.query(
      `INSERT INTO position_change
       SELECT user_address, distribution_date, pool_key, $2, run_id, points_a + points_b, computed_a + computed_b, 0, given
       FROM ${computedOn(basePoints, '$1')} t WHERE points_a + points_b <> computed_a + computed_b`,
      [day, id],
    )
  const { rows } = await client.query<{ revision: string }>(
    `WITH computed AS (${update} ${summed ? CHANGED : ''}) ${summed ? SUMMED : ''}
     SELECT coalesce(max(id), 0) AS revision FROM multiplier_revision`,
    [day, id],
  )
  if (summed)
    await countEntries(
      client,
      `SELECT ${id} AS run, (sum(length(ledger)) / 24)::int AS entries FROM refreshed_day`,
    )
  return { removed: [], multiplierRevision: revisionOf(rows), summed }
}

const CHANGED = `RETURNING t.user_address, t.distribution_date, t.pool_key, t.run_id AS run, old.run_id AS run_before, old.given,
  0 AS reasons, old.points_a + old.points_b AS points_before, t.points_a + t.points_b AS points_after`

/** Sums the days of accounts, with the entries of their ledgers, in the same pass. */
const SUMMED = `, summed AS (INSERT INTO refreshed_day
  SELECT user_address, c.distribution_date, sum(points_after), count(*), ${ENTRIES} FILTER (WHERE points_before <> points_after)
  FROM computed c LEFT JOIN ${rulesChanged('computed')} r USING (run, run_before, distribution_date, pool_key)
  GROUP BY c.user_address, c.distribution_date)`

/**
 * True from Postgres 18 on. Before, the points are computed twice: for the ledger, then to store
 * them.
 */
async function returnsOldRows(client: PoolClient): Promise<boolean> {
  const { form } = await topologyOf(client)
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  )
  return form({ one: (rows[0]?.version ?? 0) >= 180_000, cluster: false })
}

function revisionOf([row]: Pick<WrittenDate, 'revision'>[]): string {
  if (!row) throw new Error('a run saw no revision of the multipliers')
  return row.revision
}
