import { factorsOf, rulesOfDay } from '../multiplier/rule.ts'
import { type BasePoints, pointsSql } from './formula.ts'

/**
 * A FROM item with the stored positions of a date, the rules of the date, and as `computed_a` and
 * `computed_b` the millionths that they yield: those of a resync.
 */
export function computedOn(basePoints: BasePoints, date: string): string {
  const { pointsA, pointsB } = pointsSql(basePoints, 't', 'm')
  return `(SELECT t.*, ${factorsOf('m')}, m.deposit, m.borrow,
      ${pointsA} AS computed_a, ${pointsB} AS computed_b
    FROM stored_position t JOIN ${rulesOfDay(date)} m ON m.key = t.pool_key
      WHERE t.distribution_date = ${date}::date)`
}
