import type { EarningsChartQuery } from 'lending-graph-client'
import { full } from './format.ts'

type Bucket = EarningsChartQuery['user']['series'][number]

/** Says why a chart has gaps, if a missing price is the reason. */
export const gapNote = <B extends Pick<Bucket, 'hasIncompletePrices'>>(
  series: readonly B[],
  of: (bucket: B) => unknown,
) =>
  series.some((bucket) => bucket.hasIncompletePrices && of(bucket) === null)
    ? 'A gap is where a price is missing.'
    : ''

/** Says why the earnings of now differ from the last ones of a chart. */
export function differenceNote(last: Bucket | undefined): string {
  if (!last?.worth && !last?.hasIncompletePrices) return ''
  if (last.earningsUsd === null) return 'The earnings above count it as $0.'
  if (last.pendingCashUsd === 0) return ''
  const cash =
    last.pendingCashUsd === null
      ? 'Cash flows without a price'
      : `Net cash of ${full(last.pendingCashUsd, 'usd')}`
  return (
    `${cash} came after the newest snapshots: the earnings above count it, the chart will with ` +
    'the next ones.'
  )
}
