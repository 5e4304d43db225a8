import type { Writer } from '../../db/write.ts'
import { storePairs, storePositions, type WrittenDate } from '../dataset/store-positions.ts'
import { REASON } from '../ledger/reason.ts'
import { ENTRIES, RULES_KEY, rulesChanged } from '../ledger/record.ts'
import { rulesOfDay } from '../multiplier/rule.ts'
import { type BasePoints, computedOn, pointsSql } from '../points/formula.ts'
import type { StoredDate, StoringRun } from './run.ts'

// The stored positions `t` of the day $1 that are not staged.
const OTHERS = `t.distribution_date = $1 AND NOT EXISTS (
  SELECT FROM (
    SELECT s.user_address, pool.key
    FROM staged s JOIN pool ON pool.id = s.pool_address OFFSET 0) s
  WHERE s.user_address = t.user_address AND s.key = t.pool_key)`

// The changes of a run that removes the positions of a FROM item `removed`.
const removals = (run: string | null, removed: string) => `SELECT user_address, distribution_date,
    pool_key, ${run}::int, run_id, points_a + points_b, 0, ${REASON.POSITION_REMOVED}, given
  FROM ${removed} WHERE points_a + points_b <> 0`

/** Removes stored positions of the day that are not staged, and notes that. @returns their users */
export async function removeOthers(
  writer: Writer,
  day: string,
  { id, tables: { changes } }: StoringRun,
): Promise<string[]> {
  let noted = ''
  if (changes && writer.usersAreRemote) {
    const others = `(SELECT * FROM stored_position t WHERE ${OTHERS} OFFSET 0) removed`
    await changes.insert(writer, removals(id, others), [day])
  } else if (changes) noted = `, noted AS (${changes.insertSql(removals(id, 'removed'))})`
  const { rows } = await writer.query<{ user_address: string }>(
    `WITH removed AS (DELETE FROM stored_position t WHERE ${OTHERS} RETURNING t.*)${noted}
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
  writer: Writer,
  basePoints: BasePoints,
  day: string,
  { id, tables: { changes } }: StoringRun,
): Promise<string> {
  await storePairs(writer)
  const origin = { kind: 'run' as const, day, run: id }
  const dates = await storePositions(writer, basePoints, origin, changes)
  await writer.query(
    `INSERT INTO "user" SELECT DISTINCT user_address FROM staged s
     WHERE NOT EXISTS (SELECT FROM "user" u WHERE u.user_address = s.user_address)
     ORDER BY 1 ON CONFLICT DO NOTHING`,
  )
  return revisionOf(dates)
}

/** Computes the points of all positions of a date with the rules of the date. */
export async function recompute(
  writer: Writer,
  basePoints: BasePoints,
  day: string,
  { id, tables }: StoringRun,
): Promise<StoredDate> {
  const { pointsA, pointsB } = pointsSql(basePoints, 't', 'm')
  const update = `UPDATE stored_position t
    SET points_a = ${pointsA}, points_b = ${pointsB}, run_id = $2, given = false
    FROM ${rulesOfDay('$1')} m WHERE t.distribution_date = $1 AND m.key = t.pool_key`
  if (tables.changes && (await returnsOldRows(writer))) {
    const days = await tables.startDays()
    const { rows } = await writer.query<{ revision: string }>(
      `WITH computed AS (${update} ${CHANGE}), summed AS (${days.insertSql(SUMMED)})
       ${REVISION}`,
      [day, id],
    )
    await tables.countDayEntries(id)
    return { removed: [], multiplierRevision: revisionOf(rows) }
  }
  await tables.changes?.insert(writer, recomputed(basePoints), [day, id])
  await writer.query(update, [day, id])
  const { rows } = await writer.query<{ revision: string }>(REVISION)
  return { removed: [], multiplierRevision: revisionOf(rows) }
}

const REVISION = 'SELECT coalesce(max(id), 0) AS revision FROM multiplier_revision'

// Returns each updated position as a change.
const CHANGE = `RETURNING t.user_address, t.distribution_date, t.pool_key, t.run_id AS run,
  old.run_id AS run_before, old.given, 0 AS reasons,
  old.points_a + old.points_b AS points_before, t.points_a + t.points_b AS points_after`

// Sums the days of accounts, with the entries of their ledgers, over the changes `computed`.
const SUMMED = `SELECT user_address, c.distribution_date, sum(points_after), count(*),
    ${ENTRIES} FILTER (WHERE points_before <> points_after)
  FROM computed c LEFT JOIN ${rulesChanged('computed')} r USING (${RULES_KEY})
  GROUP BY c.user_address, c.distribution_date`

// The changes of the run $2, which recomputes the day $1.
const recomputed = (basePoints: BasePoints) => `SELECT user_address, distribution_date, pool_key,
    $2::int, run_id, points_a + points_b, computed_a + computed_b, 0, given
  FROM ${computedOn(basePoints, '$1')} t WHERE points_a + points_b <> computed_a + computed_b`

// True if an UPDATE returns the rows before it too: from Postgres 18 on. Else the points are
// computed twice: for the ledger, then to store them.
async function returnsOldRows(writer: Writer): Promise<boolean> {
  if (writer.usersAreRemote) return false
  const { rows } = await writer.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  )
  return (rows[0]?.version ?? 0) >= 180_000
}

function revisionOf([row]: Pick<WrittenDate, 'revision'>[]): string {
  if (!row) throw new Error('a run saw no revision of the multipliers')
  return row.revision
}
