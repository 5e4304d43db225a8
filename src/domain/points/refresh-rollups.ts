import type { Writer } from '../../db/write.ts'
import type { RunTables } from '../distribution/run-tables.ts'
import { archiveRanks } from './archive-ranks.ts'
import { digestSql } from './digest.ts'
import { refreshPoolDays } from './refresh-pool-days.ts'

interface RollupChange {
  /** The distribution dates whose positions or points have changed, as YYYY-MM-DD. */
  dates: string[]
  /** The run of each date. Null for a run that is not recorded. */
  runIds?: (string | null)[]
  kind: 'import' | 'manualupdate' | 'resync'
  startedAt: Date
  /** Users with removed positions on these dates. */
  removed?: string[]
}

/**
 * Refreshes all rollups of position points, inside the caller's transaction, which must hold the
 * writers' lock: the days of accounts and pools, the distributions of `dates`, the totals and ranks
 * of all accounts, and the program's totals. Noted changes become entries of the ledger. It costs
 * one pass over the dates' positions and one over the accounts.
 *
 * Points are integers (see millionths.ts), so equal stores have equal sums and ranks.
 */
export async function refreshRollups(tables: RunTables, change: RollupChange): Promise<void> {
  const { writer } = tables
  const { dates, removed = [] } = change
  await archiveRanks(writer, dates)
  await tables.sumDays(dates)
  await tables.findAffected(removed)
  const dateBefore = await rankedDateBefore(writer, change)
  // The increment is the difference to the stored day, so it is taken before the day is stored.
  if (dateBefore) await tables.rankAccounts(INCREMENTED, [dateBefore])
  if (removed.length > 0) await tables.removeDays(removed, dates)
  await tables.storeDays()
  if (!dateBefore) await tables.rankAccounts(summedUp(writer))
  await storeDistributions(writer, change)
  await tables.storeAccounts(removed.length > 0 ? 'SELECT user_address FROM affected' : undefined)
  await refreshPoolDays(writer, dates)
}

async function storeDistributions(
  writer: Writer,
  { dates, runIds = [], kind, startedAt }: RollupChange,
): Promise<void> {
  await writer.query(
    `INSERT INTO distribution (date, total_points, position_count, account_count, digest,
       kind, started_at, finished_at, run_id)
     SELECT distribution_date, sum(points)::bigint, sum(position_count), count(*), ${digestSql()},
       $1::distribution_kind, $2, greatest(clock_timestamp(), $2),
       (SELECT run_id FROM unnest($3::date[], $4::bigint[]) AS r(date, run_id)
        WHERE r.date = distribution_date)
     FROM refreshed_day GROUP BY distribution_date
     ON CONFLICT (date) DO UPDATE SET total_points = excluded.total_points,
       position_count = excluded.position_count, account_count = excluded.account_count,
       digest = excluded.digest, kind = excluded.kind, started_at = excluded.started_at,
       finished_at = excluded.finished_at, run_id = excluded.run_id`,
    [kind, startedAt, dates, dates.map((_, i) => runIds[i] ?? null)],
  )
}

const UNAFFECTED = `SELECT user_address, points, position_count,
    first_distribution_date, last_distribution_date
  FROM account a
  WHERE NOT EXISTS (SELECT FROM affected f WHERE f.user_address = a.user_address)`

// The totals of all accounts, those of affected users summed over all their days.
const summedUp = (writer: Writer) => `SELECT d.user_address, sum(points)::bigint AS points,
    sum(position_count)::int AS position_count,
    min(distribution_date) AS first_distribution_date,
    max(distribution_date) AS last_distribution_date
  FROM account_day d JOIN ${writer.temporary('affected')} f ON f.user_address = d.user_address
  GROUP BY d.user_address
  UNION ALL ${UNAFFECTED}`

// The totals of all accounts if only the newest day, which is not stored yet, has changed: for
// affected users those of the date $1 before it plus the day. The cost does not grow with the
// number of dates.
const INCREMENTED = `SELECT s.user_address, coalesce(b.points, 0) + s.points AS points,
    coalesce(a.position_count, 0) - coalesce(d.position_count, 0) + s.position_count
      AS position_count,
    least(a.first_distribution_date, s.distribution_date) AS first_distribution_date,
    s.distribution_date AS last_distribution_date
  FROM refreshed_day s
  LEFT JOIN account a ON a.user_address = s.user_address
  LEFT JOIN rank_history b ON b.distribution_date = $1 AND b.user_address = s.user_address
  LEFT JOIN account_day d
    ON d.user_address = s.user_address AND d.distribution_date = s.distribution_date
  UNION ALL ${UNAFFECTED}`

// The date before, if the change is of the newest date alone, removes nothing, and the ranks of the
// date before are stored here.
async function rankedDateBefore(
  writer: Writer,
  { dates, removed = [] }: RollupChange,
): Promise<string | undefined> {
  if (dates.length !== 1 || removed.length > 0 || writer.usersAreRemote) return undefined
  const { rows } = await writer.query<{ date: string }>(
    `SELECT s.date::text FROM rank_history_date s
     WHERE s.date = (SELECT max(date) FROM distribution WHERE date < $1)
       AND NOT EXISTS (SELECT FROM distribution WHERE date > $1)`,
    dates,
  )
  return rows[0]?.date
}
