import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
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
  changedRankCount: number
  /** Of the changed users, those with more points and those with fewer. */
  gainingUserCount: number
  losingUserCount: number
  /** Changed users, largest change first, then by address. */
  movers: Mover[]
  /** The pools whose points of the date would change, largest change first. */
  pools: { poolAddress: string; pointsBefore: number; pointsAfter: number }[]
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

interface PreviewOptions {
  /** Multipliers to compute with. Omitted fields and pools use stored values. */
  multipliers?: MultiplierUpdate[]
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
  return inRun(deps, async (writer) => {
    const day = await plan.day(writer, startedAt)
    await claim(writer, { day })
    let programPointsBefore = 0
    let poolsBefore: PoolPoints = new Map()
    const beforeStoring = async () => {
      poolsBefore = await poolPoints(writer, day)
      programPointsBefore = await programPoints(writer)
      await accountsBefore.fill(writer, 'SELECT user_address, points, rank FROM account')
      await accountsBefore.analyze(writer)
      if (multipliers.length > 0) await applyMultipliers(writer, multipliers)
    }
    const run = { id: null, day, startedAt, keepsLedger: false, beforeStoring }
    const { before } = await compute(writer, plan, run)
    const after = await dayOfRun(writer, day)
    const result = {
      distributionDate: new Date(day),
      kind: plan.kind,
      totalsBefore: shownTotals(before),
      totalsAfter: shownTotals(after),
      programPointsBefore,
      programPointsAfter: await programPoints(writer),
      ...(await changesOf(writer, first)),
      pools: poolMovers(poolsBefore, await poolPoints(writer, day)).slice(0, first),
    }
    await writer.query('ROLLBACK AND CHAIN')
    return result
  })
}

const shownTotals = ({ positionCount, userCount, totalPoints }: DayTotals): DayTotals => ({
  positionCount,
  userCount,
  totalPoints,
})

const accountsBefore = new TemporaryTable('account_before', {
  user_address: ADDRESS,
  points: 'bigint',
  rank: 'int',
})

async function programPoints(writer: Writer): Promise<number> {
  const { rows } = await writer.query<{ points: number }>(
    `SELECT ${doubleOf('total_points')} AS points FROM program`,
  )
  return rows[0]?.points ?? 0
}

const CHANGED = `SELECT user_address AS "userAddress",
    coalesce(b.points, 0) AS before, coalesce(a.points, 0) AS after,
    b.rank AS "rankBefore", a.rank AS "rankAfter", a.points IS DISTINCT FROM b.points AS moved
  FROM account_before b FULL JOIN account a USING (user_address)
  WHERE (a.points, a.rank) IS DISTINCT FROM (b.points, b.rank)`

type PoolPoints = ReadonlyMap<string, number>

async function poolPoints(writer: Writer, day: string): Promise<PoolPoints> {
  const { rows } = await writer.query<{ pool: string; points: number }>(
    `SELECT pool_address AS pool, ${doubleOf('a_points + b_points')} AS points
     FROM pool_day WHERE distribution_date = $1 ORDER BY 1`,
    [day],
  )
  return new Map(rows.map(({ pool, points }) => [pool, points]))
}

function poolMovers(was: PoolPoints, is: PoolPoints): DistributionPreview['pools'] {
  const change = (pool: string) => Math.abs((is.get(pool) ?? 0) - (was.get(pool) ?? 0))
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((pool) => change(pool) > 0)
    .sort((one, other) => change(other) - change(one))
    .map((poolAddress) => ({
      poolAddress,
      pointsBefore: was.get(poolAddress) ?? 0,
      pointsAfter: is.get(poolAddress) ?? 0,
    }))
}

type CountName = `${'changed' | 'gaining' | 'losing'}UserCount` | 'changedRankCount'

async function changesOf(writer: Writer, first: number) {
  const totals = await writer.query<Record<CountName, number>>(
    `SELECT count(*) FILTER (WHERE moved)::int AS "changedUserCount",
       count(*) FILTER (WHERE after > before)::int AS "gainingUserCount",
       count(*) FILTER (WHERE after < before)::int AS "losingUserCount",
       count(*) FILTER (WHERE "rankBefore" IS DISTINCT FROM "rankAfter")::int AS "changedRankCount"
     FROM (${CHANGED}) c`,
  )
  const movers = await writer.query<Mover>(
    `SELECT "userAddress", ${doubleOf('before')} AS "pointsBefore",
       ${doubleOf('after')} AS "pointsAfter", ${doubleOf('after - before')} AS "pointsChange",
       "rankBefore", "rankAfter"
     FROM (${CHANGED}) c WHERE moved
     ORDER BY abs(after - before) DESC, "userAddress" LIMIT $1`,
    [first],
  )
  const [changed] = totals.rows
  if (!changed) throw new Error('a preview counted nothing')
  return { ...changed, movers: movers.rows }
}
