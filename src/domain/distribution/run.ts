import type { Pool } from 'pg'
import { inWrite, type WriteOptions, type Writer } from '../../db/write.ts'
import { badArgument } from '../../errors.ts'
import type { SourceReceipt } from '../../sources/index.ts'
import { isoDay } from '../../time.ts'
import { type BasePoints, pointsError } from '../points/formula.ts'
import { refreshRollups } from '../points/refresh-rollups.ts'
import { admitDates, reopenSeasons } from '../season/admit-date.ts'
import {
  claim,
  dayOfRun,
  failRecord,
  finishRecord,
  openRecord,
  type RunStart,
  type Subject,
} from './run-record.ts'
import { RunTables } from './run-tables.ts'

export interface RunDeps {
  pool: Pool
  basePoints: BasePoints
  keepsLedger?: boolean
  now(): Date
  signal?: AbortSignal | undefined
  /** Allows dates of a season whose board is final. */
  reopen?: boolean
}

export interface DistributionRun {
  id: string
  /** Midnight UTC. */
  distributionDate: Date
  positionCount: number
  totalPoints: number
  startedAt: Date
  finishedAt: Date
}

/**
 * A way to compute a distribution date. Its parts are called in order, in the run's transaction.
 */
export interface RunPlan {
  kind: 'manualupdate' | 'resync'
  /** The date, as YYYY-MM-DD. */
  day(writer: Writer, startedAt: Date): Promise<string> | string
  /** Fetches and checks all input, before the run takes the writers' lock. */
  stage(writer: Writer, day: string): Promise<SourceReceipt[]>
  /** Writes the date's positions and points. */
  store(writer: Writer, day: string, run: StoringRun): Promise<StoredDate>
}

export interface StoringRun {
  /** Null for a preview. */
  id: string | null
  tables: RunTables
}

export interface StoredDate {
  removed: string[]
  /** The newest multiplier revision behind all points of the date. */
  multiplierRevision: string
}

/**
 * Runs a plan for one date. Positions, points, rollups, ranks and the run's record change together
 * or not at all. A failed run leaves a record that says why.
 * @throws CONFLICT while another run has the date or if no season admits it, and the errors of the
 * plan
 */
export async function runPlan(
  deps: RunDeps,
  plan: RunPlan,
  requestedBy: string,
): Promise<DistributionRun> {
  const { kind } = plan
  const admit = (writer: Writer, day: string) => admitDates(writer, [day], deps.reopen)
  const subject = async (writer: Writer, startedAt: Date) => {
    const day = await plan.day(writer, startedAt)
    await admit(writer, day)
    return { day }
  }
  return recordedRun(
    deps,
    { kind, subject, requestedBy },
    async (writer, { id, startedAt, subject: { day } }) => {
      // A season may have ended while the run fetched.
      const beforeStoring = () => admit(writer, day)
      const keepsLedger = deps.keepsLedger !== false
      const run = { id, day, startedAt, keepsLedger, beforeStoring }
      const computed = await compute(writer, plan, run)
      await reopenSeasons(writer, [day], [id])
      const { positionCount, totalPoints, finishedAt } = await finishRecord(writer, id, computed)
      return {
        id,
        distributionDate: new Date(day),
        positionCount,
        totalPoints,
        startedAt,
        finishedAt,
      }
    },
  )
}

interface RunRequest<S extends Subject> extends Pick<RunStart, 'kind' | 'requestedBy'> {
  subject(writer: Writer, startedAt: Date): Promise<S> | S
}

/**
 * Claims a subject and does the work of its run in one transaction. The record is visible at once;
 * if the work fails, the record says why.
 * @throws CONFLICT while another run has the subject, and the errors of the work
 */
export async function recordedRun<S extends Subject, T>(
  deps: RunDeps,
  { kind, subject: subjectOf, requestedBy }: RunRequest<S>,
  work: (writer: Writer, run: { id: string; startedAt: Date; subject: S }) => Promise<T>,
): Promise<T> {
  const { pool, basePoints } = deps
  const startedAt = deps.now()
  let id: string | undefined
  try {
    return await inRun(deps, async (writer) => {
      const subject = await subjectOf(writer, startedAt)
      await claim(writer, subject)
      id = await openRecord(pool, { kind, subject, requestedBy, startedAt, basePoints })
      return work(writer, { id, startedAt, subject })
    })
  } catch (error) {
    if (id !== undefined) await failRecord(pool, id, error)
    throw error
  }
}

/** Runs a transaction that computes points. @throws BAD_INPUT for points that are too large */
export async function inRun<T>(
  options: WriteOptions,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  try {
    return await inWrite(options, work)
  } catch (error) {
    throw pointsError(error)
  }
}

interface Computation {
  /** Null for a run that is not recorded. */
  id: string | null
  day: string
  startedAt: Date
  keepsLedger: boolean
  /** Called with the writers' lock, before anything is written. */
  beforeStoring?(): Promise<void>
}

/** Executes a plan inside the caller's transaction, which has claimed the date. */
export async function compute(
  writer: Writer,
  plan: RunPlan,
  { id, day, startedAt, keepsLedger, beforeStoring }: Computation,
) {
  const sources = await plan.stage(writer, day)
  await writer.lock()
  await beforeStoring?.()
  const before = await dayOfRun(writer, day)
  // Leaves a core to readers.
  await writer.query("SET LOCAL work_mem = '256MB'; SET LOCAL max_parallel_workers_per_gather = 0")
  const tables = await RunTables.open(writer, keepsLedger)
  const { removed, multiplierRevision } = await inBulk(writer, () =>
    plan.store(writer, day, { id, tables }),
  )
  const { kind } = plan
  await refreshRollups(tables, { dates: [day], runIds: [id], kind, startedAt, removed })
  return { sources, before, multiplierRevision }
}

// Runs statements that join a date's rows to one another. A new date is not in the planner's
// statistics yet, so the planner would expect one row and choose a nested loop.
async function inBulk<T>(writer: Writer, work: () => Promise<T>): Promise<T> {
  await writer.query('SET LOCAL enable_nestloop = off')
  const result = await work()
  await writer.query('SET LOCAL enable_nestloop TO DEFAULT')
  return result
}

/**
 * The date of a run, as YYYY-MM-DD.
 * @throws BAD_INPUT if the date has not begun
 */
export function runDate(date: Date, now: Date): string {
  const day = isoDay(date)
  if (day <= isoDay(now)) return day
  throw badArgument(
    'date',
    'must not be in the future: a distribution is of a day that has begun, in UTC',
  )
}
