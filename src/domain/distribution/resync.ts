import type { PoolClient } from 'pg'
import { GatewayError } from '../../errors.ts'
import { type DistributionRun, type RunDeps, type RunPlan, runDate, runPlan } from './run.ts'

/**
 * Recomputes a distribution date from its stored positions and the present multipliers.
 * @param date the distribution date; null: the newest stored one
 * @param requestedBy who asked, for the run's record
 * @throws BAD_INPUT for a date in the future, NOT_FOUND where no positions are stored, CONFLICT while a run has the date
 */
export function resync(deps: RunDeps, date: Date | null, requestedBy: string): Promise<DistributionRun> {
  return runPlan(deps, resyncPlan(date), requestedBy)
}

export function resyncPlan(date: Date | null): RunPlan {
  return {
    kind: 'resync',
    async day(client, startedAt) {
      const day = date ? runDate(date, startedAt) : await newestDate(client)
      // Without an order, a date of many positions would seem quicker to find by reading the table.
      const any = 'SELECT FROM position WHERE distribution_date = $1 ORDER BY id LIMIT 1'
      const { rows } = await client.query(any, [day])
      if (rows.length > 0) return day
      throw new GatewayError('NOT_FOUND', `No positions are stored for ${day}: nothing to recompute.`)
    },
    stage: async () => [],
    store: async () => ({ removed: [] }),
  }
}

async function newestDate(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ date: string }>('SELECT max(date)::text AS date FROM distribution')
  const date = rows[0]?.date
  if (!date)
    throw new GatewayError('NOT_FOUND', 'No distribution is stored yet: nothing to recompute. Import positions first.')
  return date
}
