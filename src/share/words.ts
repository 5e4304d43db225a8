const POINTS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const FEW = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const USD = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 1,
})
const PERCENT = new Intl.NumberFormat('en-US', {
  style: 'percent',
  maximumSignificantDigits: 3,
})

/** Stands for an unknown number. */
export const UNKNOWN = '–'

/** An amount of points: with cents below 100. */
export const points = (value: number | null) => {
  if (value === null) return UNKNOWN
  return (Math.abs(value) < 100 ? FEW : POINTS).format(value)
}

/** A whole number. */
export const count = (value: number) => POINTS.format(value)

/** An amount of USD: $1.2M. */
export const usd = (value: number | null) => (value === null ? UNKNOWN : USD.format(value))

/** A part of a whole in percent. Unknown without a whole. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return UNKNOWN
  const fraction = part / whole
  return fraction > 0 && fraction < 0.0001 ? '< 0.01%' : PERCENT.format(fraction)
}

/** An address as people compare it: 0x1234…cdef. */
export const brief = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

// Controls, marks of direction, other characters that show nothing, and stacked marks.
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A stored or configured name as a line that shows what it says, of at most so many characters. */
export function shown(name: string, max: number): string {
  const line = name
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(UNSEEN, '')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim()
  const letters = Array.from(new Intl.Segmenter('en').segment(line), ({ segment }) => segment)
  return letters.length > max
    ? `${letters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : line
}

// The scripts that the typeface of cards has.
const DRAWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{P}\p{Sc}\p{Sm}\p{Zs}]/gu

/** A name of which a card draws every letter. The fallback replaces a name in another script. */
export function drawn(name: string, max: number, fallback: string): string {
  const line = shown(name.replace(DRAWN, ''), max)
  return /[\p{L}\p{N}]/u.test(line) ? line : fallback
}
