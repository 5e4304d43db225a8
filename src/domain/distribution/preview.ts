import type { PoolClient } from 'pg'
import { applyMultipliers, assertUpdates, type MultiplierUpdate } from '../multiplier/update.ts'
import { doubleOf } from '../points/millionths.ts'
import { compute, inRun, type RunDeps, type RunPlan } from './run.ts'
import { claim, type DayTotals, dayOfRun } from './run-record.ts'

/** The changes that a run would make. None of them are stored. */
export interface DistributionPreview {
  /** Midnight UTC. */
  distributionDate: Date
  kind: RunPlan['kind']
  totalsBefore: DayTotals
  totalsAfter: DayTotals
  /** The points of all users over all dates. */
  programPointsBefore: number
  programPointsAfter: number
  /** Users whose points would change, including added and removed ones. */
  changedUserCount: number
  /** Users whose rank would change. */
  changedRankCount: number
  /** Changed users, largest change first, then by address. */
  movers: Mover[]
}

export interface Mover {
  userAddress: string
  pointsBefore: number
  pointsAfter: number
  pointsChange: number
  /** Null without a rank yet. */
  rankBefore: number | null
  /** Null if the user would no longer have one. */
  rankAfter: number | null
}

export interface PreviewOptions {
  /** Multipliers to compute with. Omitted fields and pools use stored values. */
  multipliers?: MultiplierUpdate[]
  /** The number of movers, 0 to 1,000. */
  first: number
}

export const MAX_MOVERS = 1000

/**
 * Runs a plan and rolls it back. A preview holds the locks of its date and of writers until it
 * ends; readers are not affected.
 * @throws the errors of the run and of `updateMultipliers`
 */
export function preview(
  deps: RunDeps,
  plan: RunPlan,
  options: PreviewOptions,
): Promise<DistributionPreview> {
  const { multipliers = [], first } = options
  const startedAt = deps.now()
  if (multipliers.length > 0) assertUpdates(multipliers)
  return inRun(deps, async (client) => {
    const day = await plan.day(client, startedAt)
    await claim(client, { day })
    const beforeStoring = async () => {
      await client.query(`CREATE TEMP TABLE account_before ON COMMIT DROP AS SELECT user_address, points, rank FROM account;
        CREATE TEMP TABLE program_before ON COMMIT DROP AS SELECT total_points FROM program;
        ANALYZE account_before`)
      if (multipliers.length > 0) await applyMultipliers(client, multipliers)
    }
    const {
      before: { millionths: __, ...totalsBefore },
    } = await compute(client, plan, {
      day,
      startedAt,
      run: { id: null, notes: false },
      beforeStoring,
    })
    const { millionths: _, ...totalsAfter } = await dayOfRun(client, day)
    const changes = await changesOf(client, first)
    await client.query('ROLLBACK AND CHAIN')
    return {
      distributionDate: new Date(day),
      kind: plan.kind,
      totalsBefore,
      totalsAfter,
      ...changes,
    }
  })
}

const CHANGED = `SELECT user_address AS "userAddress", coalesce(b.points, 0) AS before, coalesce(a.points, 0) AS after,
    b.rank AS "rankBefore", a.rank AS "rankAfter", a.points IS DISTINCT FROM b.points AS moved
  FROM account_before b FULL JOIN account a USING (user_address)
  WHERE (a.points, a.rank) IS DISTINCT FROM (b.points, b.rank)`

async function changesOf(client: PoolClient, first: number) {
  const totals = await client.query<{
    programPointsBefore: number
    programPointsAfter: number
    changedUserCount: number
    changedRankCount: number
  }>(
    `SELECT (SELECT ${doubleOf('total_points')} FROM program_before) AS "programPointsBefore",
       (SELECT ${doubleOf('total_points')} FROM program) AS "programPointsAfter",
       count(*) FILTER (WHERE moved)::int AS "changedUserCount",
       count(*) FILTER (WHERE "rankBefore" IS DISTINCT FROM "rankAfter")::int AS "changedRankCount"
     FROM (${CHANGED}) c`,
  )
  const movers = await client.query<Mover>(
    `SELECT "userAddress", ${doubleOf('before')} AS "pointsBefore", ${doubleOf('after')} AS "pointsAfter",
       ${doubleOf('after - before')} AS "pointsChange", "rankBefore", "rankAfter" FROM (${CHANGED}) c WHERE moved
     ORDER BY abs(after - before) DESC, "userAddress" LIMIT $1`,
    [first],
  )
  const [changed] = totals.rows
  if (!changed) throw new Error('a preview counted nothing')
  return { ...changed, movers: movers.rows }
}
