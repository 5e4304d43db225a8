import type { Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import { newestDate } from './dates.ts'
import { recompute } from './replace.ts'
import { type DistributionRun, type RunDeps, type RunPlan, runDate, runPlan } from './run.ts'

/**
 * Recomputes a distribution date from its stored positions and the rules of the date.
 * @throws BAD_INPUT for a future date, NOT_FOUND if no positions are stored, CONFLICT while another
 * run has the date
 */
export function resync(
  deps: RunDeps,
  date: Date | null,
  requestedBy: string,
): Promise<DistributionRun> {
  return runPlan(deps, resyncPlan(deps, date), requestedBy)
}

/** The plan of `resync`. Null means the newest stored date. */
export function resyncPlan(
  { basePoints }: Pick<RunDeps, 'basePoints'>,
  date: Date | null,
): RunPlan {
  return {
    kind: 'resync',
    async day(writer, startedAt) {
      const day = date ? runDate(date, startedAt) : await newestDay(writer)
      // Without ORDER BY, the planner would scan the table for a date with many positions.
      const any =
        'SELECT FROM stored_position WHERE distribution_date = $1 ORDER BY id DESC LIMIT 1'
      const { rows } = await writer.query(any, [day])
      if (rows.length > 0) return day
      throw new GatewayError(
        'NOT_FOUND',
        `No positions are stored for ${day}: nothing to recompute.`,
      )
    },
    stage: async () => [],
    store: (writer, day, run) => recompute(writer, basePoints, day, run),
  }
}

async function newestDay(writer: Writer): Promise<string> {
  const newest = await newestDate(writer)
  if (newest) return isoDay(newest)
  throw new GatewayError(
    'NOT_FOUND',
    'No distribution is stored yet: nothing to recompute. Import positions first.',
  )
}
