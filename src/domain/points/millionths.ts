import { parseDecimal } from '../../exact-number.ts'

/**
 * Points are stored and summed in millionths, as bigint, so every sum is exact.
 *
 * The points of a position's side are the formula's value in double precision, evaluated as
 * written, times 1e6 and rounded to the nearest integer, ties to even. Imported points are rounded
 * the same way; a number with at most six decimals stays unchanged. A side has at most 2^33 points:
 * up to there a double, and so any JSON parser, distinguishes all millionths. A total may be
 * larger: SQL writes its decimals exactly, and the client's double rounds them.
 */
export const MAX_POINTS = 2 ** 33

/**
 * Converts points to the text of their millionths.
 * @returns undefined for more than a position's side may have
 */
export function millionths(points: number): string | undefined {
  if (!(Math.abs(points) <= MAX_POINTS)) return undefined
  if (points === 0) return '0'
  // Beyond 2^31 the product below may differ from the decimal that the number was parsed from.
  const decimals = points.toFixed(6)
  return String(Number(decimals) === points ? wholeOf(decimals) : evenly(points * 1e6))
}

/** The exact sum of stored points. */
export const addPoints = (all: number[]): number =>
  fromMillionths(all.reduce((sum, points) => sum + wholeOf(points.toFixed(6)), 0n))

export function fromMillionths(millionths: bigint): number {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0+$/, '')
  return parseDecimal(
    `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}${decimals && `.${decimals}`}`,
  )
}

const wholeOf = (decimals: string) => BigInt(decimals.replace('.', ''))

function evenly(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below
}

/** SQL for the millionths of points in double precision, whose round() takes ties to even. */
export const millionthsSql = (points: string) => `round(${points} * 1e6)::bigint`

/** SQL that converts millionths to points as an exact decimal without trailing zeros. */
export const pointsOf = (millionths: string) => `trim_scale((${millionths}) * 0.000001)`

/** The SQL and type of a column of points, from the SQL of their millionths as a bigint. */
export const pointsColumn = (millionths: string) =>
  ({ sql: pointsOf(millionths), millionths, type: 'decimal' }) as const

/** SQL that converts millionths to points in double precision, which is exact up to 2^33 points. */
export const doubleOf = (millionths: string) => `((${millionths}) / 1e6::float8)`
