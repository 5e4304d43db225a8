/** The worth of a share of a vault at the end of each day, oldest first. */
export type SharePrices = readonly { start: string; sharePrice: number | null }[]

const DAY_MS = 86_400_000
const YEAR = 365

/**
 * The yearly yield of a share, as a fraction, from the first to the last known price: its growth
 * after all fees, compounded to a year. Null with fewer than two prices.
 */
export function netApy(series: SharePrices): number | null {
  const known = series.filter(({ sharePrice }) => sharePrice !== null && sharePrice > 0)
  const [first, last] = [known[0], known.at(-1)]
  if (!first?.sharePrice || !last?.sharePrice || first === last) return null
  const days = (Date.parse(last.start) - Date.parse(first.start)) / DAY_MS
  return (last.sharePrice / first.sharePrice) ** (YEAR / days) - 1
}
