import type { Store } from './store.ts'

/**
 * Identifies the state of the data that a read started now would see, uniquely across stores and
 * time. A version number alone would repeat after a restore.
 */
export async function historyPoint({
  pool,
  replicas,
}: Pick<Store, 'pool' | 'replicas'>): Promise<string> {
  const { rows } = await pool.query<{ point: string; version: number }>({
    name: 'history',
    text: `SELECT string_agg(version || '-' || history, '/' ORDER BY id) AS point,
        sum(version)::float8 AS version FROM data_version`,
  })
  // A read of this point must see it.
  replicas?.raise(rows[0]?.version ?? 0)
  return rows[0]?.point ?? ''
}
