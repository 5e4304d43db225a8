import type { Pool } from 'pg'
import { MISSING_RANKS } from '../points/rebuild-rank-history.ts'

/** How new the data is and how its runs went, over all gateways and the command line. */
export interface Freshness {
  /** The newest stored distribution date, midnight UTC. Null if no positions are stored. */
  newest: Date | null
  dataVersion: number
  changedAt: Date
  /** The number of past dates whose ranks are not computed yet. */
  ranksPending: number
  running: number
  runs: { kind: string; status: string; count: number }[]
  /** The newest successful run of each kind. */
  succeeded: { kind: string; finishedAt: Date; seconds: number; positionCount: number | null }[]
  /**
   * The legs of updates: the date of the newest record and when they were last updated, in seconds.
   */
  legs: { leg: string; updatedAt: number; chains: Record<string, string> }[]
}

export async function readFreshness(pool: Pool): Promise<Freshness> {
  const { rows } = await pool.query({ name: 'freshness', text: FRESHNESS })
  const [{ newest, succeeded, ...rest }] = rows
  return {
    ...rest,
    newest: newest && new Date(newest),
    succeeded: succeeded.map((run: { finishedAt: string }) => ({
      ...run,
      finishedAt: new Date(run.finishedAt),
    })),
  }
}

const FRESHNESS = `SELECT
  (SELECT max(date)::text FROM distribution) AS newest,
  (SELECT sum(version)::float8 FROM data_version) AS "dataVersion",
  (SELECT max(written_at) FROM data_version) AS "changedAt",
  (SELECT count(*)::int FROM (${MISSING_RANKS}) missing) AS "ranksPending",
  (SELECT count(*)::int FROM run WHERE status = 'running') AS running,
  (SELECT coalesce(json_agg(r), '[]') FROM (
     SELECT kind, status, count(*)::int AS count FROM run WHERE status <> 'running'
       GROUP BY kind, status) r) AS runs,
  (SELECT coalesce(json_agg(r), '[]') FROM (
     SELECT DISTINCT ON (kind) kind, finished_at AS "finishedAt",
       extract(epoch FROM finished_at - started_at)::float8 AS seconds,
         position_count_after AS "positionCount"
     FROM run WHERE status = 'succeeded' ORDER BY kind, id DESC) r) AS succeeded,
  (SELECT coalesce(json_agg(l), '[]') FROM (
     SELECT leg, extract(epoch FROM updated_at)::float8 AS "updatedAt", chains
     FROM leg_progress) l) AS legs`
