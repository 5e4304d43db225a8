import { GatewayError } from '../../errors.ts'
import { MAX_POINTS, millionthsSql } from './millionths.ts'

/** What a dollar earns a day before multipliers, in points. */
export interface BasePoints {
  deposit: number
  borrow: number
}

/**
 * The points of a position, in millionths, as SQL over a position row `p` and its pool's multiplier row `m` (nulls where the pool
 * has none, which scores 0). Points a day:
 *
 *     pointsA = deposit * deposit_tokenA * (aSuppliedUsd + (bBorrowedUsd > 0 ? aProtectedUsd : 0))
 *             + borrow * borrow_tokenA * aBorrowedUsd
 *
 * and pointsB mirrors it. A protected deposit, which nobody can borrow, counts only while the other token is borrowed.
 * Source: the program's published rules (1 point for a dollar supplied, 0.5 for a dollar borrowed, a day). Every path
 * that computes points uses this text.
 */
export function pointsSql(base: BasePoints, p: string, m: string): { pointsA: string; pointsB: string } {
  const side = (own: 'a' | 'b', other: 'a' | 'b') =>
    millionthsSql(`(
    ${literal(base.deposit)} * coalesce(${m}.deposit_token_${own}, 0) * (${p}.${own}_supplied_amount_usd
      + CASE WHEN ${p}.${other}_borrowed_amount_usd > 0 THEN ${p}.${own}_protected_supplied_amount_usd ELSE 0 END)
    + ${literal(base.borrow)} * coalesce(${m}.borrow_token_${own}, 0) * ${p}.${own}_borrowed_amount_usd)`)
  return { pointsA: side('a', 'b'), pointsB: side('b', 'a') }
}

/** What Postgres throws for points that are too large to be stored, said to whom it concerns; any other error as it is. */
export function pointsError(error: unknown): unknown {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown }
  if (code !== OUT_OF_RANGE && constraint !== 'position_points_range') return error
  const reason = `amounts or multipliers are too large, or too near to 0. A side of a position has at most ${MAX_POINTS} points`
  return new GatewayError('BAD_INPUT', `The points are beyond what a number can hold: ${reason}. Nothing was changed.`)
}

const OUT_OF_RANGE = '22003'

function literal(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`base points must be finite, not ${value}`)
  return `${value}::float8`
}
