import { GatewayError } from '../../errors.ts'
import type { OnUnpriced, PositionsSource } from '../../sources/index.ts'
import type { Staging } from '../dataset/staging.ts'
import { assertPrices } from './prices.ts'
import { removeOthers, replacePositions } from './replace.ts'
import { type DistributionRun, type RunDeps, type RunPlan, runDate, runPlan } from './run.ts'
import { positionsFailed, stagePositions } from './stage-positions.ts'

export interface ManualUpdateDeps extends RunDeps {
  positionsSource: PositionsSource | undefined
  /** The maximum factor between a token's prices on consecutive dates. */
  maxPriceJump: number
  /**
   * Called for each token without a price, whose sides of positions get no points. Without it, the
   * run fails.
   */
  onUnpriced?: OnUnpriced | undefined
}

/**
 * Replaces a distribution date's positions with those from the source and computes their points
 * with the current multipliers, atomically. Other writers wait only while it stores, not while it
 * fetches.
 * @param date the distribution date. Null means the current UTC date
 * @param requestedBy the actor in the run's record
 * @throws BAD_INPUT for a date in the future, UNAVAILABLE without a source, CONFLICT while a run
 * has the date, SOURCE_FAILED if the source cannot be read, has no positions for the date, or
 * returns implausible data
 */
export async function manualUpdate(
  deps: ManualUpdateDeps,
  date: Date | null,
  requestedBy: string,
): Promise<DistributionRun> {
  return runPlan(deps, manualUpdatePlan(deps, date), requestedBy)
}

/** @throws UNAVAILABLE without a source */
export function manualUpdatePlan(
  { basePoints, positionsSource: source, maxPriceJump, onUnpriced, signal }: ManualUpdateDeps,
  date: Date | null,
): RunPlan {
  if (!source)
    throw new GatewayError(
      'UNAVAILABLE',
      'No source of positions is configured. Set POSITIONS_SOURCE, then try again.',
    )
  let withIds: Staging | undefined
  return {
    kind: 'manualupdate',
    day: (_, startedAt) => runDate(date ?? startedAt, startedAt),
    async stage(writer, day) {
      const staged = await stagePositions(writer, source, { day, onUnpriced, signal })
      const { fetched, staging, count, hasIds } = staged
      if (count === 0)
        throw positionsFailed(
          source,
          `it has no positions of ${day}; the stored ones stay as they are`,
        )
      await assertPrices(writer, day, fetched.pricesName, {
        maxJump: maxPriceJump,
        isZeroValid: onUnpriced !== undefined,
      })
      withIds = hasIds ? staging : undefined
      return fetched.receipts()
    },
    async store(writer, day, run) {
      const removed = await removeOthers(writer, day, run)
      if (withIds) await assertIdsFree(withIds, source)
      return { removed, multiplierRevision: await replacePositions(writer, basePoints, day, run) }
    },
  }
}

async function assertIdsFree(staging: Staging, source: PositionsSource): Promise<void> {
  const [clash] = await staging.clashes()
  if (clash)
    throw positionsFailed(source, `line ${clash.line}: ${clash.id} is the id of another record`)
}
