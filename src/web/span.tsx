import {
  DistributionDatesDocument,
  type DistributionDatesFragment,
  type Interval,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { useAsOf } from './as-of.tsx'
import { useUrlState } from './url-state.ts'
import { useGraph } from './use-graph.ts'

const INTERVALS = ['DAY', 'WEEK', 'MONTH'] as const satisfies Interval[]
const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['all', 'All time'],
] as const
const DAY_MS = 86_400_000
/** As many buckets fit a chart well. */
const MAX_BUCKETS = 120

/** The charts of the view: variables of their operations. */
export interface Span {
  interval: Interval
  from?: string
  /** The past date that the view shows. Undefined for the newest. */
  to?: string
}

/** The range of the view's charts. Undefined until its dates are known. */
export function useSpan(): Span | undefined {
  const url = useUrlState()
  const range = url.oneOf('range', ['30', '7', '90', 'all'])
  const interval = url.oneOf('interval', INTERVALS)
  const { date } = useAsOf()
  const isUsual = range === '30' && !date
  const { data } = useGraph(DistributionDatesDocument, {}, { pause: isUsual })
  // The graph's default are the 30 newest buckets.
  if (isUsual) return { interval }
  if (!data) return undefined
  return (
    spanOf(data, range === 'all' ? Number.POSITIVE_INFINITY : Number(range), date) ?? { interval }
  )
}

/**
 * The last days of the program, or of those up to a past date, or all of them if there are fewer.
 * Undefined without a distribution.
 */
export function spanOf(
  { oldest, newest }: DistributionDatesFragment,
  days: number,
  to?: string,
): (Span & { from: string }) | undefined {
  const ends = [oldest.nodes[0]?.date, to ?? newest.nodes[0]?.date]
  const [first, last] = ends.map((date) => Date.parse(date ?? ''))
  if (!first || !last) return undefined
  const from = Math.max(first, last - (days - 1) * DAY_MS)
  const buckets = (last - from) / DAY_MS
  const longer = buckets < MAX_BUCKETS * 7 ? 'WEEK' : 'MONTH'
  return {
    interval: buckets < MAX_BUCKETS ? 'DAY' : longer,
    from: new Date(from).toISOString(),
    ...(to && { to }),
  }
}

/** Lets the range of the charts be chosen. */
export function RangeChoice() {
  const url = useUrlState()
  const current = url.oneOf('range', ['30', '7', '90', 'all'])
  const page = url.get('page')
  return (
    <nav className="choice" aria-label="Range of the charts">
      {RANGES.map(([range, name]) => (
        <Link
          key={range}
          href={url.link({ page, interval: undefined, range: range === '30' ? undefined : range })}
          aria-current={range === current ? 'true' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/**
 * True if the last of several weeks or months is not over. A day is: its points are computed once.
 */
export function isLastUnfinished(times: readonly string[], now = Date.now()): boolean {
  const [before, last] = times.slice(-2).map((time) => new Date(time))
  if (!before || !last) return false
  const length = last.getTime() - before.getTime()
  if (length < 2 * DAY_MS) return false
  const end =
    length > 27 * DAY_MS
      ? Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + 1)
      : last.getTime() + length
  return end > now
}
