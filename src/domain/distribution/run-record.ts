import type { Pool } from 'pg'
import { lackOfResources } from '../../db/faults.ts'
import { LOCKS } from '../../db/locks.ts'
import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import type { SourceReceipt } from '../../sources/index.ts'
import { BASE, inForce } from '../multiplier/rule.ts'
import type { BasePoints } from '../points/formula.ts'
import { doubleOf } from '../points/millionths.ts'
import { MAX_RUNS } from '../status/newest-runs.ts'

/**
 * The parts of a run that no other shares: a distribution date, as YYYY-MM-DD, or a leg of
 * analytics.
 */
export type Subject = { day: string; leg?: never } | { leg: string; day?: never }

// The number of a subject's lock.
const LOCKED = "coalesce(hashtext(leg), date - date '2000-01-01')"
const subjectName = ({ day, leg }: Subject) => day ?? leg

/**
 * Claims a subject for this transaction's run until the transaction ends.
 * @throws CONFLICT, which names the other run, while another run has it
 */
export async function claim(client: Queryable, subject: Subject): Promise<void> {
  const { rows } = await client.query<{ claimed: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1, ${LOCKED}) AS claimed
     FROM (SELECT $2::date AS date, $3::text AS leg) d`,
    [LOCKS.run, subject.day, subject.leg],
  )
  if (rows[0]?.claimed) return
  const running = await client.query<{
    id: string
    kind: string
    requested_by: string
    started_at: Date
  }>(
    `SELECT id, kind, requested_by, started_at FROM run
     WHERE (date = $1 OR leg = $2) AND status = 'running'
     ORDER BY id DESC LIMIT 1`,
    [subject.day, subject.leg],
  )
  const [run] = running.rows
  const which = run
    ? `run ${run.id}, a ${run.kind} that ${run.requested_by} started at ` +
      `${run.started_at.toISOString()}`
    : 'it has just started, or is a preview'
  throw new GatewayError(
    'CONFLICT',
    `A run for ${subjectName(subject)} is in progress (${which}). Wait for it to finish, then ` +
      'try again.',
  )
}

export interface RunStart {
  kind: 'manualupdate' | 'resync' | 'update'
  subject: Subject
  requestedBy: string
  startedAt: Date
  basePoints: BasePoints
}

/** Records a run that has claimed its subject. The record is visible at once. @returns its id */
export async function openRecord(pool: Pool, start: RunStart): Promise<string> {
  const { kind, subject, requestedBy, startedAt, basePoints } = start
  await closeDeadRuns(pool, subject)
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO run (kind, date, leg, status, requested_by, started_at, base_deposit, base_borrow)
     VALUES ($1, $2, $3, 'running', $4, $5, $6, $7) RETURNING id`,
    [kind, subject.day, subject.leg, requestedBy, startedAt, basePoints.deposit, basePoints.borrow],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('a run was not recorded')
  return id
}

export interface DayTotals {
  positionCount: number
  userCount: number
  totalPoints: number
}

// The totals of a date, with points in millionths.
interface StoredTotals extends DayTotals {
  millionths: string
}

/** The current totals of a date, all zero if it is not stored. */
export async function dayOfRun(client: Queryable, day: string): Promise<StoredTotals> {
  const { rows } = await client.query<StoredTotals>(
    `SELECT position_count AS "positionCount", account_count AS "userCount",
       ${doubleOf('total_points')} AS "totalPoints", total_points AS millionths
     FROM distribution WHERE date = $1`,
    [day],
  )
  return rows[0] ?? { positionCount: 0, userCount: 0, totalPoints: 0, millionths: '0' }
}

// SQL that sets the base points that the run `r` used, if those of its date are not the settings'.
const BASE_USED = BASE.map(
  (column) => `base_${column} = coalesce(
    (SELECT b.${column} FROM base_points_rule b WHERE ${inForce('b', 'r.date')}),
    r.base_${column})`,
).join(', ')

/** Records the success of a run, in its own transaction. */
export async function finishRecord(
  client: Queryable,
  id: string,
  {
    sources,
    before,
    multiplierRevision,
  }: { sources: SourceReceipt[]; before: StoredTotals; multiplierRevision: string },
): Promise<DayTotals & { finishedAt: Date }> {
  const { rows } = await client.query<DayTotals & { finishedAt: Date }>(
    `UPDATE run r SET status = 'succeeded', finished_at = d.finished_at, sources = $2,
       multiplier_revision = $6, ${BASE_USED},
       position_count_before = $3, account_count_before = $4, total_points_before = $5,
       position_count_after = d.position_count, account_count_after = d.account_count,
       total_points_after = d.total_points, digest = d.digest
     FROM distribution d WHERE d.date = r.date AND r.id = $1
     RETURNING d.position_count AS "positionCount", d.account_count AS "userCount",
       ${doubleOf('d.total_points')} AS "totalPoints", d.finished_at AS "finishedAt"`,
    [
      id,
      JSON.stringify(sources),
      before.positionCount,
      before.userCount,
      before.millionths,
      multiplierRevision,
    ],
  )
  if (!rows[0]) throw new Error(`run ${id} stored no distribution`)
  return rows[0]
}

// SQL of the end of a run. The gateway's clock may be ahead of Postgres': no run ends before it
// started.
const FINISHED = 'greatest(clock_timestamp(), started_at)'

/**
 * Records that a run has failed, and why. If the store is unreachable, `closeDeadRuns` does so
 * later.
 */
export async function failRecord(pool: Pool, id: string, error: unknown): Promise<void> {
  await pool
    .query(
      `UPDATE run SET status = 'failed', finished_at = ${FINISHED}, error = $2
       WHERE id = $1 AND status <> 'succeeded'`,
      [id, reasonOf(error)],
    )
    .catch(() => {})
}

/** The message of an error for a run's record, without internals. */
export function reasonOf(error: unknown): string {
  const known = error instanceof GatewayError ? error : lackOfResources(error)
  if (known) return known.message.slice(0, 2000)
  return error instanceof Error && error.name === 'AbortError'
    ? 'It was interrupted.'
    : 'It failed inside the gateway.'
}

/**
 * Marks runs as failed that no longer have their lock, because their process died.
 * @param claimed a subject that the caller has claimed, so any other run of it has ended
 */
export async function closeDeadRuns(pool: Pool, claimed?: Subject): Promise<void> {
  // An update raises the data version even if it finds no row.
  const running = await pool.query("SELECT FROM run WHERE status = 'running' LIMIT 1")
  if (running.rows.length === 0) return
  await pool.query(
    `UPDATE run SET status = 'failed', finished_at = ${FINISHED},
       error = 'It was cut off: the process that ran it ended.'
     WHERE status = 'running' AND (date = $2 OR leg = $3 OR NOT EXISTS (
       SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1
         AND objsubid = 2 AND granted
         AND objid::bigint = (${LOCKED}::bigint & 4294967295)
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))`,
    [LOCKS.run, claimed?.day, claimed?.leg],
  )
}

/** Records the success of an update, in its own transaction. */
export async function finishUpdate(
  client: Queryable,
  id: string,
  sources: SourceReceipt[],
): Promise<Date> {
  const { rows } = await client.query<{ finishedAt: Date }>(
    `UPDATE run SET status = 'succeeded', finished_at = ${FINISHED}, sources = $2 WHERE id = $1
     RETURNING finished_at AS "finishedAt"`,
    [id, JSON.stringify(sources)],
  )
  if (!rows[0]) throw new Error(`run ${id} is not recorded`)
  return rows[0].finishedAt
}

// Records one run for each date of an import, in the import's transaction.
interface ImportRecord {
  dates: string[]
  /** Null for a date whose run is recorded already. */
  runIds: (string | null)[]
  requestedBy: string
  startedAt: Date
  basePoints: BasePoints
  sources: SourceReceipt[]
}

/** Records an import's runs with the totals before its rollups are refreshed. */
export async function openImportRecords(client: Queryable, record: ImportRecord): Promise<void> {
  const { dates, runIds, requestedBy, startedAt, basePoints, sources } = record
  await client.query(
    `INSERT INTO run (id, kind, date, status, requested_by, started_at,
       base_deposit, base_borrow, sources, multiplier_revision,
       position_count_before, account_count_before, total_points_before)
     SELECT u.id, 'import', u.date, 'running', $3, $4, $5, $6, $7,
       (SELECT coalesce(max(id), 0) FROM multiplier_revision),
       coalesce(d.position_count, 0), coalesce(d.account_count, 0), coalesce(d.total_points, 0)
     FROM unnest($1::bigint[], $2::date[]) AS u(id, date)
     LEFT JOIN distribution d USING (date)
     WHERE u.id IS NOT NULL`,
    [
      runIds,
      dates,
      requestedBy,
      startedAt,
      basePoints.deposit,
      basePoints.borrow,
      JSON.stringify(sources),
    ],
  )
}

/** Completes the runs with the totals afterwards. */
export async function finishImportRecords(
  client: Queryable,
  runIds: (string | null)[],
): Promise<void> {
  await client.query(
    `UPDATE run r SET status = 'succeeded', finished_at = d.finished_at,
       position_count_after = d.position_count, account_count_after = d.account_count,
       total_points_after = d.total_points, digest = d.digest,
       ${BASE_USED}
     FROM distribution d WHERE d.date = r.date AND r.id = ANY($1::bigint[])`,
    [runIds],
  )
}

/** Records an import that changed no distribution date. */
export async function recordImport(
  client: Queryable,
  { requestedBy, startedAt, basePoints, sources }: Omit<ImportRecord, 'dates' | 'runIds'>,
): Promise<void> {
  await client.query(
    `INSERT INTO run (kind, status, requested_by, started_at, finished_at,
       base_deposit, base_borrow, sources)
     VALUES ('import', 'succeeded', $1, $2, clock_timestamp(), $3, $4, $5)`,
    [requestedBy, startedAt, basePoints.deposit, basePoints.borrow, JSON.stringify(sources)],
  )
}

/** True if the newest import on record has failed. */
export async function hasFailedImport(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ failed: boolean }>(
    `SELECT status = 'failed' AS failed
     FROM (SELECT id, kind, status FROM run ORDER BY id DESC LIMIT ${MAX_RUNS}) n
     WHERE kind = 'import' ORDER BY id DESC LIMIT 1`,
  )
  return rows[0]?.failed === true
}

/** Records an import that stored nothing. */
export async function recordFailedImport(
  pool: Pool,
  {
    requestedBy,
    startedAt,
    basePoints,
    error,
  }: Pick<ImportRecord, 'requestedBy' | 'startedAt' | 'basePoints'> & { error: unknown },
): Promise<void> {
  await pool
    .query(
      `INSERT INTO run (kind, status, requested_by, started_at, finished_at, error,
         base_deposit, base_borrow)
       VALUES ('import', 'failed', $1, $2, greatest(clock_timestamp(), $2), $3, $4, $5)`,
      [requestedBy, startedAt, reasonOf(error), basePoints.deposit, basePoints.borrow],
    )
    .catch(() => {})
}
