import type { EarningsChartQuery } from 'lending-graph-client'
import { full } from './format.ts'

type Bucket = EarningsChartQuery['user']['series'][number]

/** Says why a chart has gaps, if a missing price is the reason. */
export const gapNote = (series: readonly Bucket[], of: (bucket: Bucket) => unknown) =>
  series.some((bucket) => bucket.hasIncompletePrices && of(bucket) === null) ? 'A gap is where a price is missing.' : ''

/** Says that the earnings of now differ from the last ones of a chart. */
export function pendingNote(last: Bucket | undefined): string {
  if (!last || last.pendingCashUsd === 0) return ''
  const amount =
    last.pendingCashUsd === null ? 'Cash flows without a price' : `Net cash of ${full(last.pendingCashUsd, 'usd')}`
  return `${amount} came after the newest snapshots: the chart counts it with the next ones, the earnings above already do.`
}
