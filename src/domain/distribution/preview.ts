import type { PoolClient } from 'pg'
import { applyMultipliers, assertUpdates, type MultiplierUpdate } from '../multiplier/update.ts'
import { doubleOf } from '../points/millionths.ts'
import { compute, inRun, type RunDeps, type RunPlan } from './run.ts'
import { claimDate, type DayTotals, dayOfRun } from './run-record.ts'

/** What a run would change; nothing of it is stored. */
export interface DistributionPreview {
  /** Midnight UTC. */
  distributionDate: Date
  kind: RunPlan['kind']
  before: DayTotals
  after: DayTotals
  /** The points of all accounts over all dates. */
  programPointsBefore: number
  programPointsAfter: number
  /** Accounts whose points would change, those that come and go among them. */
  changedAccountCount: number
  /** Accounts that would be on another place of the leaderboard. */
  changedRankCount: number
  /** The changed accounts, by the size of the change, largest first, then by address. */
  movers: Mover[]
}

export interface Mover {
  account: string
  pointsBefore: number
  pointsAfter: number
  pointsChange: number
  /** Null: it is no account yet. */
  rankBefore: number | null
  /** Null: it would be no account any more. */
  rankAfter: number | null
}

export interface PreviewOptions {
  /** Multipliers to compute with, in place of the stored ones; fields and pools left out are as stored. */
  multipliers?: MultiplierUpdate[]
  /** How many movers, 0 to 1,000. */
  first: number
}

export const MAX_MOVERS = 1000

/**
 * Does what the plan says and takes it back: a preview is the run itself, short of its end. It has the date, and the
 * writers' turn, as long as it takes; readers do not notice.
 * @throws what the run would throw, and what `updateMultipliers` would
 */
export function preview(deps: RunDeps, plan: RunPlan, options: PreviewOptions): Promise<DistributionPreview> {
  const { multipliers = [], first } = options
  const startedAt = deps.now()
  if (multipliers.length > 0) assertUpdates(multipliers)
  return inRun(deps, async (client) => {
    const day = await plan.day(client, startedAt)
    await claimDate(client, day)
    const beforeStoring = async () => {
      await client.query(`CREATE TEMP TABLE account_before ON COMMIT DROP AS SELECT user_address, points, rank FROM account;
        CREATE TEMP TABLE program_before ON COMMIT DROP AS SELECT total_points FROM program;
        ANALYZE account_before`)
      if (multipliers.length > 0) await applyMultipliers(client, multipliers)
    }
    const {
      before: { millionths: __, ...before },
    } = await compute(client, deps, plan, { day, startedAt, runId: null, beforeStoring })
    const { millionths: _, ...after } = await dayOfRun(client, day)
    const changes = await changesOf(client, first)
    await client.query('ROLLBACK AND CHAIN')
    return { distributionDate: new Date(day), kind: plan.kind, before, after, ...changes }
  })
}

const CHANGED = `SELECT user_address AS account, coalesce(b.points, 0) AS before, coalesce(a.points, 0) AS after,
    b.rank AS "rankBefore", a.rank AS "rankAfter", a.points IS DISTINCT FROM b.points AS moved
  FROM account_before b FULL JOIN account a USING (user_address)
  WHERE (a.points, a.rank) IS DISTINCT FROM (b.points, b.rank)`

async function changesOf(client: PoolClient, first: number) {
  const totals = await client.query<{
    programPointsBefore: number
    programPointsAfter: number
    changedAccountCount: number
    changedRankCount: number
  }>(
    `SELECT (SELECT ${doubleOf('total_points')} FROM program_before) AS "programPointsBefore",
       (SELECT ${doubleOf('total_points')} FROM program) AS "programPointsAfter",
       count(*) FILTER (WHERE moved)::int AS "changedAccountCount",
       count(*) FILTER (WHERE "rankBefore" IS DISTINCT FROM "rankAfter")::int AS "changedRankCount"
     FROM (${CHANGED}) c`,
  )
  const movers = await client.query<Mover>(
    `SELECT account, ${doubleOf('before')} AS "pointsBefore", ${doubleOf('after')} AS "pointsAfter",
       ${doubleOf('after - before')} AS "pointsChange", "rankBefore", "rankAfter" FROM (${CHANGED}) c WHERE moved
     ORDER BY abs(after - before) DESC, account LIMIT $1`,
    [first],
  )
  const [changed] = totals.rows
  if (!changed) throw new Error('a preview counted nothing')
  return { ...changed, movers: movers.rows }
}
