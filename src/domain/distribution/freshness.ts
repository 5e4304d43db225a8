import type { Pool } from 'pg'

/** The newest stored distribution date, midnight UTC. Null if no positions are stored. */
export async function newestDistribution(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ date: string | null }>({
    name: 'newest-distribution',
    text: 'SELECT max(date)::text AS date FROM distribution',
  })
  const date = rows[0]?.date
  return date ? new Date(date) : null
}

/** The number of finished runs by kind and status, over all gateways and the command line. */
export async function countRuns(pool: Pool): Promise<{ kind: string; status: string; count: number }[]> {
  const { rows } = await pool.query<{ kind: string; status: string; count: number }>(
    `SELECT kind::text, status::text, count(*)::int AS count FROM run WHERE status <> 'running' GROUP BY kind, status`,
  )
  return rows
}
