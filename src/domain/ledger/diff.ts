import type { Pool } from 'pg'
import { type Listing, listing } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import type { Batch, Reader } from '../../db/connect/reader.ts'
import { usually } from '../../db/marks.ts'
import { badArgument, GatewayError } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import type { RunRow } from '../distribution/run-listing.ts'
import { type LedgerEntry, ledger } from './ledger.ts'

// SQL of the runs that stored a date, in order, and whether they changed points without entries
// that are kept.
const storedRuns = (
  day: string,
) => `SELECT id, finished_at AS "finishedAt", ledger_entries IS NULL AND before IS NOT NULL
    AND coalesce(digest <> digest_before, total_points_before <> total_points_after) AS lost
  FROM (SELECT *, lag(id) OVER stored AS before, lag(digest) OVER stored AS digest_before
    FROM run WHERE date = date '${day}' AND status = 'succeeded'
    WINDOW stored AS (ORDER BY finished_at, id)) r
  ORDER BY finished_at, id`

interface StoredRun {
  id: bigint | string
  finishedAt: Date
  lost: boolean
}

/** The last run of a date whose changes are not kept. Undefined if all are. */
export async function lastLostRun(pool: Pool, day: string): Promise<StoredRun | undefined> {
  const { rows } = await pool.query<StoredRun>(storedRuns(day))
  return rows.findLast(({ lost }) => lost)
}

/** Says why the changes of a run are not known. Null if they are. */
export async function notKept(
  reader: Reader,
  { id, date, status }: RunRow,
): Promise<string | null> {
  if (date === null || status !== 'SUCCEEDED') return null
  const runs = await reader.$queryRaw<StoredRun[]>(Prisma.raw(storedRuns(isoDay(date))))
  return runs.some((run) => run.id === id && run.lost)
    ? `The changes of run ${id} were not kept.`
    : null
}

/**
 * Returns the runs whose changes lie between two runs of a date, in the order in which they stored
 * it. The first is not among them. Without it, the later run alone; none if its changes are not
 * kept.
 * @throws BAD_INPUT if `since` is no earlier run of the same date that stored it, or if entries in
 * between are not kept
 */
export async function runsSince(
  reader: Reader,
  run: Pick<RunRow, 'id' | 'date' | 'status'>,
  since: bigint | null,
): Promise<bigint[]> {
  if (run.date === null || run.status !== 'SUCCEEDED') return []
  const rows = await reader.$queryRaw<(StoredRun & { id: bigint })[]>(
    Prisma.raw(storedRuns(isoDay(run.date))),
  )
  const end = rows.findIndex(({ id }) => id === run.id)
  const begin = since === null ? end - 1 : rows.findIndex(({ id }) => id === since)
  if (since !== null && (begin < 0 || begin >= end))
    throw badArgument('since', `must be an earlier run of ${isoDay(run.date)} that succeeded`)
  const between = rows.slice(begin + 1, end + 1)
  const lost = between.find((one) => one.lost)
  if (lost && since === null) return []
  if (lost)
    throw badArgument('since', `must be a later run: the changes of run ${lost.id} are not kept`)
  return between.map(({ id }) => id)
}

const columns = {
  ...ledger.columns,
  size: { sql: 'abs(t.points_after - t.points_before)', type: 'bigint' as const },
  since: { ...ledger.columns.since, sql: 't.since' },
}

// Merges the ledger entries of runs, in the order of storing: one for each user, date and pool,
// with the run that they follow.
function mergedBy(runs: bigint[], since: bigint | null, entries: Prisma.Sql): Prisma.Sql {
  const ids = Prisma.sql`${runs.map(String)}::bigint[]`
  return Prisma.sql`(SELECT m.*, ${since === null ? null : String(since)}::bigint AS since FROM (
      SELECT user_address, distribution_date, pool_key, max(run_id) AS run_id,
        bit_or(reasons) AS reasons,
        (array_agg(points_before ORDER BY array_position(${ids}, run_id)))[1] AS points_before,
        (array_agg(points_after ORDER BY array_position(${ids}, run_id) DESC))[1] AS points_after
      FROM ${entries} e WHERE run_id = ANY(${ids})
      GROUP BY user_address, distribution_date, pool_key) m
    WHERE points_before <> points_after) t`
}

/**
 * Loads entries of `changesOf` by date, last run, pool, user and the run that they follow. Null for
 * one that does not exist, or is no longer kept.
 */
export const mergedEntries: Batch<readonly string[], LedgerEntry | null> = (reader, keys) =>
  Promise.all(keys.map((key) => mergedEntry(reader, key)))

async function mergedEntry(reader: Reader, key: readonly string[]): Promise<LedgerEntry | null> {
  const [date = '', runId = '', pool = '', user = '', since = ''] = key
  const run = { id: BigInt(runId), date: new Date(date), status: 'SUCCEEDED' as const }
  const runs = await runsSince(reader, run, BigInt(since)).catch((error) => {
    if (error instanceof GatewayError && error.code === 'BAD_INPUT') return []
    throw error
  })
  if (runs.length === 0) return null
  const entries = Prisma.sql`(SELECT * FROM account_ledger
    WHERE user_address = ${user} AND distribution_date = ${date}::date
    AND pool_key = ${pool}::int)`
  const [row] = await reader.$queryRaw<LedgerEntry[]>`
    SELECT ${selectList(columns)} FROM ${mergedBy(runs, BigInt(since), entries)}
      WHERE t.run_id = ${runId}::bigint`
  return row ?? null
}

/**
 * Lists the changes that runs of a date, in the order of storing, made together: one entry for each
 * user and pool, largest change first.
 */
export function changesOf(date: Date, runs: bigint[], since: bigint | null): Listing<LedgerEntry> {
  const day = Prisma.sql`${isoDay(date)}::date`
  // By the positions of the date, since no index of days is by date.
  const byUser = Prisma.sql`(SELECT l.* FROM (
      SELECT user_address FROM stored_position WHERE distribution_date = ${day}
      UNION SELECT user_address FROM removed_day WHERE distribution_date = ${day}) u
    CROSS JOIN LATERAL (SELECT * FROM account_ledger l
      WHERE l.user_address = u.user_address AND l.distribution_date = ${day} OFFSET 0) l)`
  const entries = usually(byUser, {
    ifSpread: Prisma.sql`(SELECT * FROM account_ledger WHERE distribution_date = ${day})`,
  })
  return listing({
    ...ledger,
    name: 'runChanges',
    from: mergedBy(runs, since, entries),
    columns,
    order: { size: 'DESC', userAddress: 'ASC', poolKey: 'ASC' },
  })
}
