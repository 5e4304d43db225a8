/**
 * SQL for exact sums of doubles. Each double is added as the decimal that it prints as, so the order of addition does
 * not matter and the sum has no more decimals than its terms. The result is the double nearest to the sum.
 */

/** Casts a double to the decimal number that it prints as. */
export const exact = (double: string) => `(${double})::text::numeric`

/** Sums doubles exactly and returns a double; null if all of them are null. */
export const exactSum = (double: string) => `sum(${exact(double)})::float8`
