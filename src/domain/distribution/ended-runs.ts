import type { Pool } from 'pg'

export interface EndedRun {
  id: string
  /** YYYY-MM-DD. Null for an update, and for an import that changed no date. */
  day: string | null
  succeeded: boolean
  /** How many milliseconds ago it ended, by the database's clock. */
  msAgo: number
}

/**
 * The finished ones among some runs, or all recently finished runs, in the order in which they
 * ended.
 */
export async function endedRuns(
  pool: Pool,
  which: { ids: string[] } | { withinMs: number },
): Promise<EndedRun[]> {
  const [condition, value] =
    'ids' in which
      ? ['id = ANY($1::bigint[])', which.ids]
      : ["finished_at >= clock_timestamp() - $1::float8 * interval '1 millisecond'", which.withinMs]
  const { rows } = await pool.query<EndedRun>(
    `SELECT id, date::text AS day, status = 'succeeded' AS succeeded,
       (extract(epoch FROM clock_timestamp() - finished_at) * 1000)::float8 AS "msAgo"
     FROM run WHERE status <> 'running' AND ${condition} ORDER BY finished_at, id`,
    [value],
  )
  return rows
}
