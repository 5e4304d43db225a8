import type { AtRiskFragment } from 'lending-graph-client'
import type { ReactNode } from 'react'
import { short } from './format.ts'
import { percentText, RANGE } from './scenario.ts'

const TOP = 6

interface ShockCurveProps {
  name: string
  rows: readonly AtRiskFragment[]
  percent: number
  /** Moves the mark. */
  children: ReactNode
}

/** The debt at risk by change of a price, with a mark at the present one. */
export function ShockCurve({ name, rows, percent, children }: ShockCurveProps) {
  const most = Math.max(...rows.map(({ debtUsd }) => debtUsd ?? 0), 0)
  const y = (debt: number | null) => 100 - ((debt ?? 0) / (most || 1)) * (100 - TOP)
  const at = (row: AtRiskFragment) => `${row.change * 100} ${y(row.debtUsd).toFixed(2)}`
  const [falls, rises] = [-1, 1].map((sign) => rows.filter(({ change }) => change * sign > 0))
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last || !falls || !rises) return null
  const summary = [first, last]
    .map(({ change, debtUsd }) => `${short(debtUsd ?? 0, 'usd')} at ${percentText(change * 100)}`)
    .join(', ')
  return (
    <figure className="chart curve">
      <figcaption>
        <h3>Debt at risk by price shock</h3>
        <p className="visually-hidden">
          {name}: {summary}
        </p>
      </figcaption>
      <div className="curve-plot">
        <span aria-hidden="true">{short(most, 'usd')}</span>
        <svg
          viewBox={`${-RANGE} 0 ${2 * RANGE} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Debt at risk of ${name}: ${summary}`}
        >
          {[falls, rises].map((side, i) => (
            <g key={['falls', 'rises'][i]}>
              <path
                className="area"
                d={`M${(side[0]?.change ?? 0) * 100} 100L${side.map(at).join('L')}L${
                  (side.at(-1)?.change ?? 0) * 100
                } 100Z`}
              />
              <path d={`M${side.map(at).join('L')}`} />
            </g>
          ))}
          <path className="zero-line" d="M0 0V100" />
          {Math.abs(percent) <= RANGE && <path className="mark" d={`M${percent} 0V100`} />}
        </svg>
        {children}
        <div className="curve-axis" aria-hidden="true">
          {[-60, -40, -20, 0, 20, 40, 60].map((tick) => (
            <span key={tick}>{tick === 0 ? '0' : percentText(tick)}</span>
          ))}
        </div>
      </div>
    </figure>
  )
}
