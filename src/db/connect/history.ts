import type { Store } from './store.ts'

/**
 * Identifies the state of the data that a read started now would see, uniquely across stores and time. A version number
 * alone would repeat after a restore.
 */
export async function historyPoint({ pool }: Pick<Store, 'pool'>): Promise<string> {
  const { rows } = await pool.query<{ point: string }>({
    name: 'history',
    text: `SELECT string_agg(version || '-' || history, '/' ORDER BY id) AS point FROM data_version`,
  })
  return rows[0]?.point ?? ''
}
