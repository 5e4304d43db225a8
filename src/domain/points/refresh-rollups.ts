import type { DatabaseError, PoolClient } from 'pg'
import { LOCK_NOT_AVAILABLE, LOCKS } from '../../db/locks.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import type { Topology } from '../../db/topology/topology.ts'
import { GatewayError } from '../../errors.ts'
import { keepRemoved, keepRestored, makeEntries } from '../ledger/record.ts'
import { archiveRanks } from './archive-ranks.ts'
import { digestSql } from './digest.ts'
import { refreshPoolDays } from './refresh-pool-days.ts'

/**
 * Takes the writers' lock until the end of the transaction. Writers run one at a time, so that no
 * run reads totals that another is changing.
 * @throws UNAVAILABLE if the lock is not available within the session's lock_timeout
 */
export async function lockWriters(client: PoolClient): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.writers])
    await (await topologyOf(client)).announce(client)
  } catch (error) {
    if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error
    throw new GatewayError(
      'UNAVAILABLE',
      'Another import, run or change of multipliers is still writing to the store. Nothing was changed; try again when it has finished.',
    )
  }
}

export interface RollupChange {
  /** The distribution dates whose positions or points have changed, as YYYY-MM-DD. */
  dates: string[]
  /** The run of each date. Null for a run that is not recorded. */
  runIds?: (string | null)[]
  kind: 'import' | 'manualupdate' | 'resync'
  startedAt: Date
  /** Users with removed positions on these dates. */
  removed?: string[]
  /** True if positions whose points changed are noted: they become entries of the ledger. */
  noted?: boolean
  /** True if the noted changes are the whole ledger of another store. */
  restored?: boolean
  /** True if the days of accounts are summed already, as the table `refreshed_day`. */
  summed?: boolean
}

/**
 * Refreshes all rollups of position points, inside the caller's transaction, which must hold the
 * writers' lock: the days of accounts and pools, the distributions of `dates`, the totals and ranks
 * of all accounts, and the program's totals. Its cost is that of the dates' positions plus one pass
 * over the accounts.
 *
 * Points are integers (see millionths.ts), so equal stores have equal sums and ranks.
 */
export async function refreshRollups(client: PoolClient, change: RollupChange): Promise<void> {
  const {
    dates,
    runIds = [],
    kind,
    startedAt,
    removed = [],
    noted = false,
    restored = false,
    summed = false,
  } = change
  const topology = await topologyOf(client)
  await archiveRanks(client, dates)
  if (noted && !summed) await makeEntries(client)
  if (!summed) await sumDays(client, dates, noted)
  if (restored) await keepRestored(client)
  await client.query('ANALYZE refreshed_day')
  await client.query(
    `
    CREATE TEMP TABLE affected ON COMMIT DROP AS
    SELECT user_address FROM refreshed_day UNION SELECT unnest($1::text[])`,
    [removed],
  )
  await client.query('ANALYZE affected')
  const before =
    removed.length === 0 && dates.length === 1
      ? await topology.form({ one: rankedDateBefore, cluster: async () => undefined })(
          client,
          dates[0] as string,
        )
      : undefined
  if (before !== undefined) await rankAccounts(client, INCREMENTED, [before])
  if (removed.length > 0) {
    await keepRemoved(client, topology, { users: removed, dates, noted })
    await client.query(
      `DELETE FROM account_day d USING (
         SELECT * FROM (SELECT user_address, distribution_date FROM account_day
           WHERE user_address = ANY($1::text[]) AND distribution_date = ANY($2::date[]) OFFSET 0) stored
         EXCEPT SELECT user_address, distribution_date FROM refreshed_day OFFSET 0) gone
       WHERE d.user_address = gone.user_address AND d.distribution_date = gone.distribution_date`,
      [removed, dates],
    )
  }
  const day = {
    into: 'account_day',
    key: ['user_address', 'distribution_date'],
    values: ['points', 'position_count'],
    appended: noted ? ['ledger'] : [],
    from: '(SELECT * FROM refreshed_day ORDER BY user_address, distribution_date)',
  }
  await client.query(topology.merge(day))
  if (before === undefined) await rankAccounts(client, totalsOf(topology), [])

  await client.query(
    `
    INSERT INTO distribution (date, total_points, position_count, account_count, kind, started_at, finished_at, run_id, digest)
    SELECT distribution_date, sum(points)::bigint, sum(position_count), count(*), $1::distribution_kind, $2,
      greatest(clock_timestamp(), $2), (SELECT run_id FROM unnest($3::date[], $4::bigint[]) AS r(date, run_id) WHERE r.date = distribution_date),
      ${digestSql()}
    FROM refreshed_day GROUP BY distribution_date
    ON CONFLICT (date) DO UPDATE SET total_points = excluded.total_points, position_count = excluded.position_count,
      account_count = excluded.account_count, kind = excluded.kind, started_at = excluded.started_at,
      finished_at = excluded.finished_at, run_id = excluded.run_id, digest = excluded.digest`,
    [kind, startedAt, dates, dates.map((_, i) => runIds[i] ?? null)],
  )

  if (removed.length > 0) {
    const { rows: gone } = await client.query<{ user: string }>(
      'SELECT user_address AS user FROM affected EXCEPT SELECT user_address FROM ranked_account',
    )
    await client.query('DELETE FROM account WHERE user_address = ANY($1::text[])', [
      gone.map(({ user }) => user),
    ])
  }
  const values = [
    'points',
    'rank',
    'position_count',
    'first_distribution_date',
    'last_distribution_date',
  ]
  await client.query(
    topology.merge({ into: 'account', key: ['user_address'], values, from: 'ranked_account' }),
  )

  await client.query(`
    UPDATE program p SET total_points = d.points, position_count = d.positions, account_count = (SELECT count(*) FROM ranked_account)
    FROM (SELECT coalesce(sum(total_points), 0)::bigint AS points, coalesce(sum(position_count), 0) AS positions
      FROM distribution OFFSET 0) d`)
  await client.query('DROP TABLE refreshed_day, affected, ranked_account')
  await client.query('DROP TABLE IF EXISTS position_change, ledger_entry')
  await refreshPoolDays(client, dates)
}

/** Creates the table of the days of accounts, with the new entries of their ledgers. */
export async function sumDays(client: PoolClient, dates: string[], noted: boolean): Promise<void> {
  const days = `SELECT user_address, distribution_date, sum(points_a + points_b)::bigint AS points, count(*)::int AS position_count
    FROM stored_position WHERE distribution_date = ANY($1::date[]) GROUP BY user_address, distribution_date`
  await client.query(
    `CREATE TEMP TABLE refreshed_day ON COMMIT DROP AS
     ${noted ? `SELECT * FROM (${days}) d LEFT JOIN ledger_entry USING (user_address, distribution_date)` : days}`,
    [dates],
  )
}

/** The totals of affected users, summed over all their days. */
const totalsOf = (
  topology: Topology,
) => `SELECT d.user_address, sum(points)::bigint AS points, sum(position_count)::int AS position_count,
    min(distribution_date) AS first_distribution_date, max(distribution_date) AS last_distribution_date
  FROM account_day d JOIN ${topology.temporary('affected')} f ON f.user_address = d.user_address GROUP BY d.user_address`

/**
 * The totals of affected users if only the newest day, which is not stored yet, has changed: the
 * totals of the date $1 before it plus the day. The cost does not grow with the number of dates.
 */
const INCREMENTED = `SELECT s.user_address, coalesce(b.points, 0) + s.points AS points,
    coalesce(a.position_count, 0) - coalesce(d.position_count, 0) + s.position_count AS position_count,
    least(a.first_distribution_date, s.distribution_date) AS first_distribution_date,
    s.distribution_date AS last_distribution_date
  FROM refreshed_day s
  LEFT JOIN account a ON a.user_address = s.user_address
  LEFT JOIN rank_history b ON b.distribution_date = $1 AND b.user_address = s.user_address
  LEFT JOIN account_day d ON d.user_address = s.user_address AND d.distribution_date = s.distribution_date`

/** Creates a temporary table of all accounts with their totals and ranks. */
async function rankAccounts(client: PoolClient, affected: string, values: string[]): Promise<void> {
  await client.query(
    `
    CREATE TEMP TABLE ranked_account ON COMMIT DROP AS
    WITH account_now AS (
      ${affected}
      UNION ALL
      SELECT user_address, points, position_count, first_distribution_date, last_distribution_date FROM account a
      WHERE NOT EXISTS (SELECT FROM affected f WHERE f.user_address = a.user_address)
    )
    SELECT *, row_number() OVER (ORDER BY points DESC, user_address)::int AS rank FROM account_now`,
    values,
  )
  await client.query('ANALYZE ranked_account')
}

/**
 * The date before `date`, if `date` is the newest one and the ranks of the date before are stored.
 */
async function rankedDateBefore(client: PoolClient, date: string): Promise<string | undefined> {
  const { rows } = await client.query<{ date: string }>(
    `SELECT s.date::text FROM rank_history_date s WHERE s.date = (SELECT max(date) FROM distribution WHERE date < $1)
       AND NOT EXISTS (SELECT FROM distribution WHERE date > $1)`,
    [date],
  )
  return rows[0]?.date
}
