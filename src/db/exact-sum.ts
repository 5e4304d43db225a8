/**
 * SQL for exact sums of doubles. Each double is added as the decimal that it prints as, so the
 * order of addition does not matter and the sum has no more decimals than its terms. The result is
 * the double nearest to the sum.
 */

/** Casts a double to the decimal number that it prints as. */
export const exact = (double: string) => `(${double})::text::numeric`

// The largest double, and half of the smallest one above 0: below it, 0 is nearer.
const MAX = '1.7976931348623157e308'
const HALF_OF_MIN = '2.4703282292062327209e-324'

/**
 * Casts a decimal to the nearest double. Postgres refuses to cast one that is beyond all doubles,
 * or so near to 0 that it becomes 0, which sums and quotients of extreme doubles are. The decimal
 * is written several times, because least and greatest ignore null.
 */
export const toDouble = (decimal: string) =>
  `(CASE WHEN abs(${decimal}) < ${HALF_OF_MIN} THEN 0
    WHEN (${decimal}) IS NOT NULL THEN least(greatest(${decimal}, -${MAX}), ${MAX}) END)::float8`

/**
 * The same for a decimal that is not null and has few decimals: it is not beyond doubles near 0.
 */
export const plainDouble = (decimal: string) =>
  `least(greatest(${decimal}, -${MAX}), ${MAX})::float8`

// True if a double is so moderate that a product or a quotient of two is neither beyond all doubles
// nor becomes 0.
const isModerate = (double: string) => `abs(${double}) BETWEEN 1e-150 AND 1e150`

/**
 * Divides doubles, as Postgres does where it does not refuse the quotient. Null for a divisor of 0.
 */
export const quotient = (dividend: string, divisor: string) =>
  `CASE WHEN (${dividend} = 0 OR ${isModerate(dividend)}) AND ${isModerate(divisor)}
    THEN ${dividend} / ${divisor}
    ELSE ${toDouble(`${exact(dividend)} / nullif(${exact(divisor)}, 0)`)} END`

/**
 * Moderates a double, so that sums, products and quotients of two stay within doubles: beyond 1e140
 * it is 1e140, below 1e-140 it is 0. With an exponent of 90, products of three do.
 */
export const moderate = (double: string, exponent = 140) =>
  `(CASE WHEN ${double} > 1e${exponent} THEN 1e${exponent}
    WHEN ${double} < -1e${exponent} THEN -1e${exponent}
    WHEN abs(${double}) < 1e-${exponent} THEN 0 ELSE ${double} END)`

/** Sums doubles exactly and returns a double; null if all of them are null. */
export const exactSum = (double: string) => toDouble(`sum(${exact(double)})`)
