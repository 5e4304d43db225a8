import type { EarningsChartQuery } from 'lending-graph-client'

type Bucket = EarningsChartQuery['user']['series'][number]

export const PRICE_MISSING = 'A gap is where a price is missing.'

/** True if a number is unknown after another one was known. */
export function hasGap(values: readonly (number | null)[]): boolean {
  const first = values.findIndex((value) => value !== null)
  return first >= 0 && values.lastIndexOf(null) > first
}

/** Says why a chart has gaps, if a missing price is the reason. */
export const gapNote = <B extends Pick<Bucket, 'hasIncompletePrices'>>(
  series: readonly B[],
  of: (bucket: B) => unknown,
) =>
  series.some((bucket) => bucket.hasIncompletePrices && of(bucket) === null) ? PRICE_MISSING : ''
