import { isDay } from './format.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

const dateOf = (year: string, month: number, dayOfMonth: string): string[] => {
  const date = [year, String(month).padStart(2, '0'), dayOfMonth.padStart(2, '0')].join('-')
  return isDay(date) ? [date] : []
}

const monthOf = (name: string) => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1

/**
 * The dates that a text may mean: 25 Nov 2026, 2026-11-25, 25.11.2026, or 11/25/2026. None if it
 * is not a date; two if day and month may be either way round.
 */
export function datesIn(text: string): string[] {
  const [, year, month, last] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year && month && last) return dateOf(year, Number(month), last)
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text)
  if (dotted) return dateOf(dotted[3] ?? '', Number(dotted[2]), dotted[1] ?? '')
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)
  if (slashed) {
    const [, one = '', other = '', ofYear = ''] = slashed
    const both = [...dateOf(ofYear, Number(one), other), ...dateOf(ofYear, Number(other), one)]
    return [...new Set(both)]
  }
  const dayFirst = /^(\d{1,2})\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})$/i.exec(text)
  if (dayFirst) return dateOf(dayFirst[3] ?? '', monthOf(dayFirst[2] ?? ''), dayFirst[1] ?? '')
  const monthFirst = /^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$/i.exec(text)
  if (monthFirst)
    return dateOf(monthFirst[3] ?? '', monthOf(monthFirst[1] ?? ''), monthFirst[2] ?? '')
  return []
}
