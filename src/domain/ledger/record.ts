import type { PoolClient } from 'pg'
import type { Topology } from '../../db/topology/topology.ts'
import { factorsOf, inForce } from '../multiplier/rule.ts'
import { REASON } from './reason.ts'

/**
 * Creates the table of positions whose points a run changes. They are noted where they are stored.
 */
export async function noteChanges(client: PoolClient): Promise<void> {
  await client.query(`CREATE TEMP TABLE position_change (user_address text COLLATE "C", distribution_date date, pool_key int,
    run int, run_before int, points_before bigint, points_after bigint, reasons int, given boolean) ON COMMIT DROP`)
}

/** Notes staged entries of another store's ledger, whose runs are stored. */
export const NOTE_RESTORED = `INSERT INTO position_change
  SELECT s.user_address, s.distribution_date, p.key, s.run_id, NULL, s.points_before, s.points_after, s.reasons, false
  FROM staged s JOIN pool p ON p.id = s.pool_address JOIN run r ON r.id = s.run_id`

/** Keeps noted entries of days without positions. */
export async function keepRestored(client: PoolClient): Promise<void> {
  await client.query(`INSERT INTO removed_day SELECT e.user_address, e.distribution_date, e.ledger FROM ledger_entry e
    LEFT JOIN refreshed_day s USING (user_address, distribution_date) WHERE s.user_address IS NULL`)
}

/** A position that comes or goes changes all of its points. */
const WHOLE = REASON.POSITION_ADDED | REASON.POSITION_REMOVED

/**
 * SQL of the entries of a change `c`, with its row `r` of `rulesChanged`, as one value: see the
 * migration.
 */
export const ENTRIES = `string_agg(int8send((c.run::bigint << 32) | c.pool_key) || int8send(c.points_before * 256 + c.reasons
    + CASE WHEN c.given THEN ${REASON.IMPORTED_POINTS} WHEN c.reasons & ${WHOLE} = 0 THEN coalesce(r.reasons, 0) ELSE 0 END)
    || int8send(c.points_after), '')`

/**
 * A FROM item of the rules that differ from those of the run that stored the points before, for
 * each pool.
 */
export const rulesChanged = (
  changes: string,
): string => `(SELECT k.run, k.run_before, k.distribution_date, k.pool_key,
    CASE WHEN (${factorsOf('was')})
      IS DISTINCT FROM (${factorsOf('m')}) THEN ${REASON.MULTIPLIER} ELSE 0 END
    + CASE WHEN (o.base_deposit, o.base_borrow) IS DISTINCT FROM (coalesce(b.deposit, n.base_deposit), coalesce(b.borrow, n.base_borrow))
      THEN ${REASON.BASE_POINTS} ELSE 0 END AS reasons
  FROM (SELECT DISTINCT run, run_before, distribution_date, pool_key FROM ${changes} c WHERE NOT given) k
  JOIN pool p ON p.key = k.pool_key JOIN run n ON n.id = k.run JOIN run o ON o.id = k.run_before
  LEFT JOIN LATERAL (SELECT * FROM multiplier_revision r WHERE r.pool_address = p.id AND r.id <= o.multiplier_revision
    AND (r.from_date IS NULL OR r.from_date <= k.distribution_date) AND r.revoked_at IS NULL ORDER BY r.id DESC LIMIT 1) was ON true
  LEFT JOIN multiplier_rule m ON m.pool_address = p.id AND ${inForce('m', 'k.distribution_date')}
  LEFT JOIN base_points_rule b ON ${inForce('b', 'k.distribution_date')})`

/**
 * Makes the noted changes entries of the ledger, as the table `ledger_entry` of users and dates.
 */
export async function makeEntries(client: PoolClient): Promise<void> {
  await client.query('ANALYZE position_change')
  await client.query(`CREATE TEMP TABLE ledger_entry ON COMMIT DROP AS
    SELECT c.user_address, c.distribution_date, ${ENTRIES} AS ledger
    FROM position_change c LEFT JOIN ${rulesChanged('position_change')} r USING (run, run_before, distribution_date, pool_key)
    GROUP BY c.user_address, c.distribution_date`)
  await client.query('ANALYZE ledger_entry')
  await countEntries(
    client,
    'SELECT run, count(*)::int AS entries FROM position_change GROUP BY run',
  )
}

/**
 * Keeps the ledger of days that are about to be removed.
 * @param removed users with removed positions on the dates
 */
export async function keepRemoved(
  client: PoolClient,
  topology: Topology,
  { users, dates, noted }: { users: string[]; dates: string[]; noted: boolean },
): Promise<void> {
  const entries = noted
    ? topology.temporary('ledger_entry')
    : '(SELECT NULL::text AS user_address, NULL::date AS distribution_date, NULL::bytea AS ledger)'
  await client.query(
    `INSERT INTO removed_day AS t (user_address, distribution_date, ledger)
     SELECT d.user_address, d.distribution_date, coalesce(d.ledger || e.ledger, d.ledger, e.ledger)
     FROM (SELECT user_address, distribution_date, ledger FROM account_day
       WHERE user_address = ANY($1::text[]) AND distribution_date = ANY($2::date[]) OFFSET 0) d
     LEFT JOIN ${entries} e USING (user_address, distribution_date)
     LEFT JOIN ${topology.temporary('refreshed_day')} s USING (user_address, distribution_date)
     WHERE s.user_address IS NULL AND coalesce(d.ledger, e.ledger) IS NOT NULL
     ON CONFLICT (user_address, distribution_date) DO UPDATE SET ledger = t.ledger || excluded.ledger`,
    [users, dates],
  )
}

/**
 * Records how many entries runs have written.
 * @param entries SQL of the run and number of entries
 */
export async function countEntries(client: PoolClient, entries: string): Promise<void> {
  const { rows } = await client.query<{ run: string; entries: number }>(entries)
  const counts = rows.filter((row) => row.entries > 0)
  if (counts.length > 0)
    await client.query(
      'UPDATE run r SET ledger_entries = e.entries FROM unnest($1::bigint[], $2::int[]) AS e(id, entries) WHERE r.id = e.id',
      [counts.map(({ run }) => run), counts.map((one) => one.entries)],
    )
}
