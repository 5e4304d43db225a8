import type { Queryable } from '../../db/write.ts'
import { factorsOf, inForce } from '../multiplier/rule.ts'

/** Positions of a pool on a date. */
export interface CountedPositions {
  pool: string
  /** YYYY-MM-DD. */
  date: string
  positions: number
}

// Positions that score 0, because no multiplier of their pool counts for their dates, or one of
// zeros.
interface Unscored {
  pool: string
  name: string
  positions: number
  /** The first and the last of their dates, as YYYY-MM-DD. */
  first: string
  last: string
  /** The number of the next revision that scores. Null if there is none after the dates. */
  next: string | null
}

// SQL of the positions of `counted` that score 0, by pool and the rule that comes after them.
const unscoredOf = (counted: string) => `WITH rule AS MATERIALIZED (
    SELECT m.id, m.pool_address, m.from_date, m.until_date FROM multiplier_rule m
      WHERE greatest(${factorsOf('m')}) > 0)
  SELECT p.id AS pool, concat_ws('·', p.asset_1_symbol, p.asset_2_symbol, p.number) AS name,
    sum(u.positions)::float8 AS positions, min(u.date)::text AS first, max(u.date)::text AS last,
      next.id::text AS next
  FROM ${counted} u JOIN pool p ON p.id = u.pool
  LEFT JOIN LATERAL (SELECT r.id FROM rule r WHERE r.pool_address = u.pool AND r.from_date > u.date
    ORDER BY r.from_date LIMIT 1) next ON true
  WHERE NOT EXISTS (SELECT FROM rule r WHERE r.pool_address = u.pool AND ${inForce('r', 'u.date')})
  GROUP BY p.id, next.id ORDER BY 3 DESC, p.id, 4`

/** Those of the counted positions that score 0. */
export async function unscoredAmong(
  client: Queryable,
  counted: CountedPositions[],
): Promise<Unscored[]> {
  const { rows } = await client.query<Unscored>(
    unscoredOf(
      '(SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[]) AS c(pool, date, positions))',
    ),
    [
      counted.map(({ pool }) => pool),
      counted.map(({ date }) => date),
      counted.map(({ positions }) => positions),
    ],
  )
  return rows
}

/** The pools whose positions of the newest distribution date score 0. */
export async function unscoredToday(client: Queryable): Promise<(Unscored & { date: string })[]> {
  const { rows } = await client.query<Unscored>(
    unscoredOf(`(SELECT pool_address AS pool, distribution_date AS date, position_count AS positions
      FROM pool_day
      WHERE distribution_date = (SELECT max(date) FROM distribution) AND a_points + b_points = 0)`),
  )
  return rows.map((one) => ({ ...one, date: one.first }))
}

const NAMED = 5

/**
 * Says which positions score 0, and why.
 * @param of says which positions are meant, such as ` of 2026-11-20`
 */
export function unscoredMessage(unscored: Unscored[], of = ''): string {
  const total = unscored.reduce((sum, { positions }) => sum + positions, 0)
  const datesOf = ({ first, last }: Unscored) =>
    first === last ? `on ${first}` : `from ${first} to ${last}`
  const named = unscored
    .slice(0, NAMED)
    .map(
      (one) => `${one.name} (${one.pool}): ${one.positions}${of === '' ? ` ${datesOf(one)}` : ''}`,
    )
  const more = unscored.length > NAMED ? `, and ${unscored.length - NAMED} more pools` : ''
  const [positions, pools] = [
    total === 1 ? 'position' : 'positions',
    unscored.length === 1 ? 'pool has' : 'pools have',
  ]
  const score = total === 1 ? 'scores' : 'score'
  return (
    `${total} ${positions}${of} ${score} 0, because the ${pools} no multiplier: ` +
    `${named.join(', ')}${more}.`
  )
}

/**
 * Says how to give these dates a multiplier, and leaves the rules of other dates as they are: where
 * a rule begins later, it begins earlier then. @param then says how to compute the points again
 */
export function unscoredRemedy(unscored: Unscored[], then: string): string {
  const commands = unscored
    .slice(0, NAMED)
    .map(({ pool, first, next }) =>
      next === null
        ? `\`gateway multipliers set ${pool} --deposit-a 1 --deposit-b 1 --borrow-a 1 --borrow-b ` +
          `1 --from ${first}\``
        : `\`gateway multipliers date ${next} --from ${first} --yes\``,
    )
  return `Set one with ${commands.join(', ')}, then ${then}.`
}
