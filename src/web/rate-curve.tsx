import type { PoolChartQuery } from 'lending-graph-client'
import { Empty } from './answer.tsx'
import { day, short } from './format.ts'
import { cut } from './names.ts'

type Market = NonNullable<NonNullable<PoolChartQuery['pool']>['marketA']>
type Amounts = Pick<Market['series'][number], 'suppliedUsd' | 'borrowedUsd'>

/** The part of the deposits that is lent. Unknown without deposits. */
export const utilizationOf = ({ suppliedUsd, borrowedUsd }: Amounts) =>
  suppliedUsd && borrowedUsd !== null ? borrowedUsd / suppliedUsd : null

interface Point {
  start: string
  utilization: number
  deposit: number
  borrow: number
}

/** The dates of which both the utilization and the rates are stored. */
function pointsOf({ series, aprSeries }: Market): Point[] {
  const utilization = new Map(series.map((bucket) => [bucket.start, utilizationOf(bucket)]))
  return aprSeries.flatMap(({ start, depositApr, borrowApr }) => {
    const at = utilization.get(start) ?? null
    if (at === null || depositApr === null || borrowApr === null) return []
    return [{ start, utilization: at, deposit: depositApr, borrow: borrowApr }]
  })
}

const RATES = [
  ['Borrow APR', 'borrow', 2],
  ['Deposit APR', 'deposit', 1],
] as const

/** Round steps of an axis, and how many of them are the least that it has. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step / 1000)
const LINES = 5

const percent = (part: number) => `${(part * 100).toFixed(2)}%`

/** The rates of a token at each utilization that it had, and where it is now. */
export function RateCurve({ market }: { market: Market }) {
  const symbol = cut(market.asset.symbol)
  const points = pointsOf(market)
  const now = points.at(-1)
  if (!now) return null
  const title = `Rates by utilization, ${symbol}`
  const highest = Math.max(...points.map(({ borrow, deposit }) => Math.max(borrow, deposit)))
  const step = STEPS.find((size) => size * LINES >= highest) ?? highest / LINES
  const top = step * (Math.floor(highest / step) + 1)
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step)
  const x = (utilization: number) => percent(Math.min(utilization, 1) * 0.94 + 0.03)
  const y = (rate: number) => percent(0.88 - (rate / top) * 0.8)
  const summary = `On ${day(now.start)}, at a utilization of ${short(now.utilization, 'percent')}, supply earns ${short(now.deposit, 'percent')} and debt costs ${short(now.borrow, 'percent')}.`
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <div className="reading" aria-hidden="true">
          <b>{short(now.utilization, 'percent')}</b>
          <small>used on {day(now.start)}</small>
        </div>
      </figcaption>
      {points.length === 1 && <Empty>The curve begins with the second date.</Empty>}
      {points.length > 1 && (
        <svg className="curve" width="100%" height="220" role="img" aria-label={summary}>
          {lines.map((rate) => (
            <g key={rate} className="grid">
              <line x1="0" x2="100%" y1={y(rate)} y2={y(rate)} />
              <text x="0" y={y(rate)} dy="-3">
                {`${Number((rate * 100).toFixed(2))}%`}
              </text>
            </g>
          ))}
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <text key={part} x={x(part)} y="97%" textAnchor="middle">
              {part * 100}%
            </text>
          ))}
          <line className="now" x1={x(now.utilization)} x2={x(now.utilization)} y1="8%" y2="88%" />
          {RATES.map(([name, rate, line]) => (
            <g key={name} className={`line-${line}`}>
              {points.map((point) => (
                <circle
                  key={point.start}
                  cx={x(point.utilization)}
                  cy={y(point[rate])}
                  r={point === now ? 6 : 3}
                  className={point === now ? 'present' : undefined}
                >
                  <title>
                    {`${day(point.start)}: ${name} ${short(point[rate], 'percent')} at ${short(point.utilization, 'percent')}`}
                  </title>
                </circle>
              ))}
            </g>
          ))}
        </svg>
      )}
      <p className="key">
        {RATES.map(([name, rate, line]) => (
          <span key={name} className={`line-${line}`}>
            <svg width="12" height="12" aria-hidden="true">
              <circle cx="6" cy="6" r="5" />
            </svg>{' '}
            {name} <b>{short(now[rate], 'percent')}</b>
          </span>
        ))}
      </p>
      <p className="remarks">Each point is a date of the range; the large ones are the newest.</p>
    </figure>
  )
}
