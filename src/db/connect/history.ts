import type { Store } from './store.ts'

/**
 * Names the state of the data that a read started now would see: of all stores and all times, no two states that
 * differ have the same name. A version number alone comes again after a restore.
 */
export async function historyPoint({ pool }: Pick<Store, 'pool'>): Promise<string> {
  const { rows } = await pool.query<{ point: string }>({
    name: 'history',
    text: `SELECT string_agg(version || '-' || history, '/' ORDER BY id) AS point FROM data_version`,
  })
  return rows[0]?.point ?? ''
}
