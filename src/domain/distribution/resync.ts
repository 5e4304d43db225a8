import type { Pool, PoolClient } from 'pg'
import { GatewayError } from '../../errors.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'
import { settle, takeTurn } from '../points/settle.ts'
import { claimDate, type DistributionRun, finishedRun, inRun, runDate } from './run.ts'

export interface RunDeps {
  pool: Pool
  basePoints: BasePoints
  now(): Date
  /** Stops the run, whatever it is doing; nothing is changed then. */
  signal?: AbortSignal
}

/**
 * Recomputes a distribution date from its stored positions and the present multipliers: positions, distribution,
 * account totals and ranks change together or not at all.
 * @param date the distribution date; null: the newest stored one
 * @throws BAD_INPUT for a date in the future, NOT_FOUND where no positions are stored, CONFLICT while a run has the date
 */
export async function resync({ pool, basePoints, now, signal }: RunDeps, date: Date | null): Promise<DistributionRun> {
  const startedAt = now()
  const asked = date && runDate(date, startedAt)
  return inRun({ pool, signal }, async (client) => {
    const day = asked ?? (await newestDate(client))
    await claimDate(client, day)
    await takeTurn(client)
    const { rows } = await client.query('SELECT FROM position WHERE distribution_date = $1 LIMIT 1', [day])
    if (rows.length === 0)
      throw new GatewayError('NOT_FOUND', `No positions are stored for ${day}: nothing to recompute.`)
    await recompute(client, basePoints, day)
    await settle(client, { dates: [day], kind: 'resync', startedAt })
    return finishedRun(client, day, startedAt)
  })
}

/** Gives every position of a date the points that the present multipliers make of it. Rows that have them stay as they are. */
export async function recompute(client: PoolClient, basePoints: BasePoints, day: string): Promise<void> {
  const { pointsA, pointsB } = pointsSql(basePoints, 'p', 'm')
  await client.query("SET LOCAL work_mem = '256MB'")
  await client.query(
    `UPDATE position_points pp SET points_a = s.points_a, points_b = s.points_b
     FROM (SELECT p.user_address, p.market_address, ${pointsA} AS points_a, ${pointsB} AS points_b
       FROM position p LEFT JOIN multiplier m ON m.pool_address = p.market_address
       WHERE p.distribution_date = $1) s
     WHERE pp.distribution_date = $1 AND pp.user_address = s.user_address AND pp.market_address = s.market_address
       AND (pp.points_a <> s.points_a OR pp.points_b <> s.points_b)`,
    [day],
  )
}

async function newestDate(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ date: string }>('SELECT max(date)::text AS date FROM distribution')
  const date = rows[0]?.date
  if (!date)
    throw new GatewayError('NOT_FOUND', 'No distribution is stored yet: nothing to recompute. Import positions first.')
  return date
}
