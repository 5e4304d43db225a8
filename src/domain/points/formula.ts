import { GatewayError } from '../../errors.ts'
import { BASE, factorsOf, rulesOfDay } from '../multiplier/rule.ts'
import { MAX_POINTS, millionthsSql } from './millionths.ts'

/** The points per dollar and day, before multipliers. */
export interface BasePoints {
  deposit: number
  borrow: number
}

/** Those of the program's published rules. */
export const PUBLISHED: BasePoints = { deposit: 1, borrow: 0.5 }

/**
 * SQL for the points of a position, in millionths, over a position row `p`, its pool's multiplier
 * row `m` (nulls if the pool has none, which scores 0) and a row `b` of base points (nulls if the
 * settings count). Points per day:
 *
 *     pointsA = deposit * deposit_tokenA * (aSuppliedUsd + (counts ? aProtectedUsd : 0))
 *             + borrow * borrow_tokenA * aBorrowedUsd
 *     counts  = bBorrowedUsd > 0
 *             && bBorrowedUsd >= protectedMinLtv * (aSuppliedUsd + aProtectedUsd)
 *
 * and pointsB mirrors it. A protected (non-borrowable) deposit counts only while the other token is
 * borrowed; `protectedMinLtv` is 0 unless a revision of the base points sets it. Source: the
 * program's published rules (per day, 1 point per dollar supplied and 0.5 per dollar borrowed). All
 * code that computes points uses this SQL.
 */
export const pointsSql = (base: BasePoints, p: string, m: string, b = m) => ({
  pointsA: millionthsSql(sideSql(base, 'a', p, m, b)),
  pointsB: millionthsSql(sideSql(base, 'b', p, m, b)),
})

/**
 * A FROM item with the stored positions of a date, the rules of the date, and as `computed_a` and
 * `computed_b` the millionths that they yield: those of a resync.
 */
export function computedOn(basePoints: BasePoints, date: string): string {
  const { pointsA, pointsB } = pointsSql(basePoints, 't', 'm')
  return `(SELECT t.*, ${factorsOf('m')}, ${BASE.map((column) => `m.${column}`).join(', ')},
      ${pointsA} AS computed_a, ${pointsB} AS computed_b
    FROM stored_position t JOIN ${rulesOfDay(date)} m ON m.key = t.pool_key
      WHERE t.distribution_date = ${date}::date)`
}

/** SQL for the points of a side of a position, as a double. */
export function sideSql(
  base: BasePoints,
  side: 'a' | 'b',
  p: string,
  m: string,
  b: string,
): string {
  return `(
    ${rateSql(base, 'deposit', side, m, b)} * (${p}.${side}_supplied_amount_usd
      + CASE WHEN ${protectedCounts(side, p, b)}
        THEN ${p}.${side}_protected_supplied_amount_usd ELSE 0 END)
    + ${rateSql(base, 'borrow', side, m, b)} * ${p}.${side}_borrowed_amount_usd)`
}

/** SQL for whether the protected deposit of a side of a position counts. */
export function protectedCounts(side: 'a' | 'b', p: string, b: string): string {
  const owed = `${p}.${side === 'a' ? 'b' : 'a'}_borrowed_amount_usd`
  return `${owed} > 0 AND ${owed} >= coalesce(${b}.protected_min_ltv, 0)
    * (${p}.${side}_supplied_amount_usd + ${p}.${side}_protected_supplied_amount_usd)`
}

/** SQL for the points per day of a dollar on a side. */
export const rateSql = (
  base: BasePoints,
  kind: 'deposit' | 'borrow',
  side: 'a' | 'b',
  m: string,
  b: string,
): string =>
  `coalesce(${b}.${kind}, ${literal(base[kind])}) * coalesce(${m}.${kind}_token_${side}, 0)`

/**
 * Converts Postgres' error for points that are too large to store to one for the client. Returns
 * other errors as is.
 */
export function pointsError(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  // A worker's error has no other name of the constraint than that in its message.
  if (code !== OUT_OF_RANGE && !String(message).includes('stored_position_points_range'))
    return error
  return new GatewayError(
    'BAD_INPUT',
    'The points are beyond what a number can hold: amounts or multipliers are too large, or too ' +
      `near to 0. A side of a position has at most ${MAX_POINTS} points. Nothing was changed.`,
  )
}

const OUT_OF_RANGE = '22003'

export function literal(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`base points must be finite, not ${value}`)
  return `${value}::float8`
}
