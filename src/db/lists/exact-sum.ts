/**
 * Sums of doubles, added up as the decimals that the doubles are written as: no order of addition changes a digit, and a
 * sum has no more decimals than what it is made of. All of it is SQL; what is shown is the double nearest to the sum.
 */

/** A double as the decimal number that it is written as. */
export const exact = (double: string) => `(${double})::text::numeric`

/** The exact sum of doubles, as a double; null where all are null. */
export const exactSum = (double: string) => `sum(${exact(double)})::float8`
