import type { Pool } from 'pg'
import { inWrite } from '../../db/write.ts'

// Entries that ended runs wrote, whose rows still have them.
const EXPIRED = 'SELECT id, date FROM run WHERE ledger_entries IS NOT NULL AND finished_at < $1'

// The stored entries without those of the runs $1. Null if none is left.
const KEPT = `(SELECT string_agg(substring(ledger, n, 24), '' ORDER BY n)
  FROM generate_series(1, length(ledger), 24) n
    WHERE ('x' || encode(substring(ledger, n, 4), 'hex'))::bit(32)::int <> ALL($1::int[]))`

/** Removes the entries of runs that finished before a time. @returns the number of these runs */
export async function pruneLedger(pool: Pool, before: Date): Promise<number> {
  if ((await pool.query(`${EXPIRED} LIMIT 1`, [before])).rowCount === 0) return 0
  return inWrite({ pool }, async (writer) => {
    await writer.lock()
    const { rows } = await writer.query<{ id: string; date: string }>(
      `SELECT id, date::text FROM (${EXPIRED}) r`,
      [before],
    )
    const runs = rows.map(({ id }) => id)
    const values = [runs, [...new Set(rows.map(({ date }) => date))]]
    const ofDates = 'ledger IS NOT NULL AND distribution_date = ANY($2::date[])'
    await writer.query(`UPDATE account_day SET ledger = ${KEPT} WHERE ${ofDates}`, values)
    await writer.query(`DELETE FROM removed_day WHERE ${ofDates} AND ${KEPT} IS NULL`, values)
    await writer.query(`UPDATE removed_day SET ledger = ${KEPT} WHERE ${ofDates}`, values)
    await writer.query(
      'UPDATE run SET ledger_entries = NULL, ledger_users = NULL WHERE id = ANY($1::bigint[])',
      [runs],
    )
    return rows.length
  })
}
