import type { Queryable } from '../../db/write.ts'
import { type BasePoints, computedOn, protectedCounts } from './formula.ts'
import { pointsOf } from './millionths.ts'

/** The arithmetic of a side of a position. Points are exact decimals, as text. */
export interface ExplainedSide {
  pool: string
  poolAddress: string
  side: 'A' | 'B'
  symbol: string
  price: number
  supplied: number
  suppliedUsd: number
  protected: number
  protectedUsd: number
  /** True if the protected deposit counts, because enough of the other token is borrowed. */
  protectedCounts: boolean
  borrowed: number
  borrowedUsd: number
  baseDeposit: number
  baseBorrow: number
  /** Null if the pool has no multiplier, and scores 0. */
  deposit: number | null
  borrow: number | null
  points: string
  /** Those that the rules of the date yield: a resync would store them. */
  computed: string
  imported: boolean
  run: string | null
}

/**
 * Explains the stored points of a user on a date, by the SQL that a resync uses: one row for each
 * side of a position.
 */
export async function explainDay(
  client: Queryable,
  basePoints: BasePoints,
  user: string,
  day: string,
): Promise<ExplainedSide[]> {
  const side = (self: 'a' | 'b', n: 1 | 2) => `SELECT
      concat_ws('·', p.asset_1_symbol, p.asset_2_symbol, p.number) AS pool, p.id AS "poolAddress",
        '${self.toUpperCase()}' AS side,
      p.asset_${n}_symbol AS symbol, t.${self}_token_price AS price,
      t.${self}_supplied_amount AS supplied, t.${self}_supplied_amount_usd AS "suppliedUsd",
      t.${self}_protected_supplied_amount AS protected,
        t.${self}_protected_supplied_amount_usd AS "protectedUsd",
      ${protectedCounts(self, 't', 't')} AS "protectedCounts",
      t.${self}_borrowed_amount AS borrowed, t.${self}_borrowed_amount_usd AS "borrowedUsd",
      coalesce(t.deposit, $3) AS "baseDeposit", coalesce(t.borrow, $4) AS "baseBorrow",
      t.deposit_token_${self} AS deposit, t.borrow_token_${self} AS borrow,
      ${pointsOf(`t.points_${self}`)}::text AS points,
        ${pointsOf(`t.computed_${self}`)}::text AS computed,
      t.given AS imported, t.run_id::text AS run
    FROM ${computedOn(basePoints, '$1')} t JOIN pool p ON p.key = t.pool_key
      WHERE t.user_address = $2`
  const { rows } = await client.query<ExplainedSide>(
    `${side('a', 1)} UNION ALL ${side('b', 2)} ORDER BY pool, "poolAddress", side`,
    [day, user, basePoints.deposit, basePoints.borrow],
  )
  return rows
}

// A stored date whose points differ from those that its rules yield.
interface StaleDate {
  date: string
  positions: number
  points: string
  computed: string
}

/**
 * The dates whose stored points differ from the rules that are in force for them now, oldest first.
 * Reads all positions, date by date.
 */
export async function staleDates(
  client: Queryable,
  basePoints: BasePoints,
  signal?: AbortSignal,
): Promise<StaleDate[]> {
  const { rows: dates } = await client.query<{ date: string }>(
    'SELECT date::text FROM distribution ORDER BY 1',
  )
  const stale: StaleDate[] = []
  for (const { date } of dates) {
    signal?.throwIfAborted()
    const { rows } = await client.query<StaleDate>(
      `SELECT $1::date::text AS date,
        count(*) FILTER (WHERE (points_a, points_b) <> (computed_a, computed_b))::int AS positions,
         ${pointsOf('sum(points_a + points_b)')}::text AS points,
           ${pointsOf('sum(computed_a + computed_b)')}::text AS computed
       FROM ${computedOn(basePoints, '$1')} t`,
      [date],
    )
    const [row] = rows
    if (row && row.positions > 0) stale.push(row)
  }
  return stale
}
