import type { ClientBase } from 'pg'
import { factorsOf } from '../multiplier/rule.ts'

/** Positions that score 0, because their pool has no multiplier or one of zeros. */
export interface Unscored {
  pool: string
  name: string
  positions: number
}

const SELECT = `SELECT p.id AS pool, concat_ws('·', p.asset_1_symbol, p.asset_2_symbol, p.market_id) AS name`
const WITHOUT_MULTIPLIER = `NOT EXISTS (SELECT FROM multiplier m WHERE m.pool_address = p.id
  AND greatest(${factorsOf('m')}) > 0)`

/** Those of the counted pools whose positions score 0. */
export async function unscoredAmong(client: ClientBase, counts: ReadonlyMap<string, number>): Promise<Unscored[]> {
  const { rows } = await client.query<Unscored>(
    `${SELECT}, u.positions::float8 AS positions FROM unnest($1::text[], $2::bigint[]) AS u(id, positions) JOIN pool p USING (id)
     WHERE ${WITHOUT_MULTIPLIER} ORDER BY u.positions DESC, p.id`,
    [[...counts.keys()], [...counts.values()]],
  )
  return rows
}

/** The pools whose positions of the newest distribution date score 0. */
export async function unscoredToday(client: ClientBase): Promise<(Unscored & { date: string })[]> {
  const { rows } = await client.query<Unscored & { date: string }>(
    `${SELECT}, d.position_count AS positions, d.distribution_date::text AS date FROM pool_day d JOIN pool p ON p.id = d.pool_address
     WHERE d.distribution_date = (SELECT max(date) FROM distribution) AND d.a_points + d.b_points = 0 AND ${WITHOUT_MULTIPLIER}
     ORDER BY d.position_count DESC, p.id`,
  )
  return rows
}

/** The number of pools that a sentence names. */
const NAMED = 5

/** Says which positions score 0, and why. @param of says which positions are meant, such as ` of 2026-11-20` */
export function unscoredMessage(unscored: Unscored[], of = ''): string {
  const total = unscored.reduce((sum, { positions }) => sum + positions, 0)
  const named = unscored.slice(0, NAMED).map(({ name, pool, positions }) => `${name} (${pool}): ${positions}`)
  const more = unscored.length > NAMED ? `, and ${unscored.length - NAMED} more pools` : ''
  const [positions, pools] = [total === 1 ? 'position' : 'positions', unscored.length === 1 ? 'pool has' : 'pools have']
  const score = total === 1 ? 'scores' : 'score'
  return `${total} ${positions}${of} ${score} 0, because the ${pools} no multiplier: ${named.join(', ')}${more}.`
}

/** Says how to give the first of the pools a multiplier. @param then says how to compute the points again */
export const unscoredRemedy = ([first]: Unscored[], then: string): string =>
  `Set one with \`gateway multipliers set ${first?.pool} --deposit-a 1 --deposit-b 1 --borrow-a 1 --borrow-b 1\`, then ${then}.`
