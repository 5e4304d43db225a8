const LOCALE = 'en-US'
const compact = new Intl.NumberFormat(LOCALE, {
  notation: 'compact',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })
const twoDecimals = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const fourDecimals = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
})
const sixDecimals = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 6 })
const exact = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 })
const dayOnly = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const toTheMinute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** A number, or a decimal number of any length, which is never rounded to a double. */
export type Quantity = number | string

/** `Intl` takes decimal numbers as text, and formats all their digits. */
const quantity = (value: Quantity) => String(value) as `${number}`

/** How many of which unit a number counts. */
export type Unit = 'usd' | 'percent' | 'points' | 'count' | 'amount' | 'factor' | 'share'

/** A number for people, with two decimals: 10.92M, $15.77K, 2.87%. Counts have none, shares four. */
export function short(value: Quantity, unit: Unit): string {
  const [sign, size] = split(value)
  if (unit === 'percent') return `${sign}${twoDecimals.format(Number(size) * 100)}%`
  const magnitude = Number(size)
  const currency = unit === 'usd' ? '$' : ''
  if (unit === 'count') return sign + plain.format(quantity(size))
  if (unit === 'share') return sign + fourDecimals.format(quantity(size))
  const isSmall = magnitude !== 0 && magnitude < 0.01
  if (isSmall && unit !== 'amount') return `${sign}<${currency}0.01`
  const text =
    isSmall || magnitude >= 1e15
      ? magnitude.toPrecision(3)
      : (magnitude >= 10_000 ? compact : twoDecimals).format(quantity(size))
  return sign + currency + text
}

/** A number with all its digits, but for those of a double that come from arithmetic alone. */
export function full(value: Quantity, unit: Unit): string {
  const [sign, size] = split(typeof value === 'number' ? withoutNoise(value, unit) : value)
  if (unit === 'percent') return `${sign}${timesHundred(size)}%`
  return `${sign}${unit === 'usd' ? '$' : ''}${exact.format(quantity(size))}`
}

/** A multiplier, such as 1.5x. */
export const times = (factor: number) => `${plain.format(factor)}x`

/** A change, with its sign. */
export const signed = (text: string) =>
  text.startsWith('−') || !/[1-9]/.test(text) ? text : `+${text}`

/** A date, such as 20 Nov 2026. */
export const day = (iso: string) => dayOnly.format(new Date(iso))
/** A date without its year if that is this one: 20 Nov. */
export const briefDay = (iso: string) =>
  iso.startsWith(String(new Date().getUTCFullYear())) ? day(iso).replace(/ \d{4}$/, '') : day(iso)
/** A moment, such as 20 Nov 2026, 18:05 UTC. */
export const moment = (iso: string) => `${toTheMinute.format(new Date(iso))} UTC`
/** A moment in a list: 20 Nov, 18:05. */
export const briefMoment = (iso: string) => `${briefDay(iso)}, ${iso.slice(11, 16)}`
/** A date as it is in URLs, such as 2026-11-20. */
export const isoDay = (iso: string) => iso.slice(0, 10)

/** True if a text is a date as it is in URLs. Dates such as 30 February do not exist. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && isoDay(new Date(time).toISOString()) === text
}

/** An address or a hash by its beginning and end. */
export const brief = (hex: string) =>
  hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex

export const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text)

/**
 * Points have six decimals, other doubles 15 meaningful digits: 40211.599500000004 is 40211.5995.
 */
const withoutNoise = (value: number, unit: Unit) =>
  unit === 'points' ? Number(value.toFixed(6)) : Number(value.toPrecision(15))

/** The sign of a number, and the number without it. */
function split(value: Quantity): [sign: '−' | '', size: string] {
  const text = String(value)
  return text.startsWith('-') ? ['−', text.slice(1)] : ['', text]
}

/** A fraction in percent with at most six decimals, by moving the point of its text. */
function timesHundred(text: string): string {
  if (/e/i.test(text)) return sixDecimals.format(Number(text) * 100)
  const [whole = '0', fraction = ''] = text.split('.')
  const digits = fraction.padEnd(2, '0')
  const moved = `${whole}${digits.slice(0, 2)}.${digits.slice(2)}`
  return sixDecimals.format(quantity(moved.replace(/\.$/, '')))
}
