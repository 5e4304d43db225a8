import { parseDecimal } from '../../exact-number.ts'

/**
 * Points are stored in millionths, as bigint, and added up as such: every sum is exact.
 *
 * The points of a position's side are the formula's value in double precision, evaluated as it is written, times 1e6 and
 * rounded to the nearest integer, ties to even. Points that an import gives are rounded alike; a number of at most six
 * decimals is kept as it is. A side has at most 2^33 points: up to there a double, and so any JSON parser, tells every
 * millionth from the next. A total may be larger: SQL writes its decimals exactly, and a reader's double rounds them.
 */
export const MAX_POINTS = 2 ** 33

/** Points as the text of their millionths. @returns undefined for more than a position's side may have */
export function millionths(points: number): string | undefined {
  if (!(Math.abs(points) <= MAX_POINTS)) return undefined
  // Beyond 2^31 the product below may miss the decimal that the number was read from.
  const decimals = points.toFixed(6)
  return String(Number(decimals) === points ? wholeOf(decimals) : evenly(points * 1e6))
}

/** The exact sum of points that were read from the store. */
export const addPoints = (all: number[]): number =>
  fromMillionths(all.reduce((sum, points) => sum + wholeOf(points.toFixed(6)), 0n))

/** Stored millionths as points. */
export function fromMillionths(millionths: bigint): number {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0+$/, '')
  return parseDecimal(`${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}${decimals && `.${decimals}`}`)
}

const wholeOf = (decimals: string) => BigInt(decimals.replace('.', ''))

/** The nearest integer, ties to even. */
function evenly(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below
}

/** SQL: the millionths of points in double precision, whose round() takes ties to even. */
export const millionthsSql = (points: string) => `round(${points} * 1e6)::bigint`

/** SQL: millionths as a decimal number of points, exact and without trailing zeros. */
export const pointsOf = (millionths: string) => `trim_scale((${millionths}) * 0.000001)`

/** SQL: millionths as points in double precision, which is exact up to 2^33 points. */
export const doubleOf = (millionths: string) => `((${millionths}) / 1e6::float8)`
