/**
 * SQL of an amount in whole tokens as an exact number, from one in the smallest unit and the number
 * of decimals.
 */
export const wholeTokensSql = (amount: string, decimals: string): string =>
  `trim_scale(${amount} * ('1e-' || ${decimals})::numeric)`

/**
 * An amount in whole tokens as a decimal string, such as 1.5, from the digits of one in the
 * smallest unit.
 */
export function wholeTokens(digits: string, decimals: number): string {
  const [sign, unsigned] = digits.startsWith('-') ? ['-', digits.slice(1)] : ['', digits]
  const padded = unsigned.padStart(decimals + 1, '0')
  const point = padded.length - decimals
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`.replace(/\.?0*$/, '')
}
