import { HealthFactorsDocument } from 'lending-graph-client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Answer } from './answer.tsx'
import { Meter } from './meter.tsx'
import { type Column, Table } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { useGraph } from './use-graph.ts'
import { Num } from './values.tsx'

interface Bin {
  name: string
  count: number
  /** The part of the largest bin. */
  part: number
  isLoss?: boolean
  /** Names the bin in the address. Absent from the bin of unknown factors. */
  slug?: string
}

const BINS = [
  ['below100', 'Below 1', { lt: 1 }],
  ['below105', '1 to 1.05', { gte: 1, lt: 1.05 }],
  ['below110', '1.05 to 1.1', { gte: 1.05, lt: 1.1 }],
  ['below125', '1.1 to 1.25', { gte: 1.1, lt: 1.25 }],
  ['below150', '1.25 to 1.5', { gte: 1.25, lt: 1.5 }],
  ['below200', '1.5 to 2', { gte: 1.5, lt: 2 }],
  ['from200', '2 and above', { gte: 2 }],
] as const

/** The range of health factors that the address chooses. */
export function useHealthRange() {
  const chosen = useUrlState().get('health')
  const [, name, range] = BINS.find(([key]) => key === chosen) ?? []
  return name && range && { name, range }
}

/** The bins that are red, as health factors below 1.1 are everywhere. */
const RED = 3

const columns: Column<Bin>[] = [
  {
    name: 'Health factor',
    heads: true,
    cell: ({ name, slug, count, isLoss }) => {
      const inColour = <span className={isLoss ? 'loss' : undefined}>{name}</span>
      return slug && count > 0 ? <RangeLink of={slug}>{inColour}</RangeLink> : inColour
    },
  },
  {
    name: 'Positions',
    numeric: true,
    cell: ({ count }) => <Num value={count} unit="count" ifZero="no position" />,
  },
  { name: 'Share', cell: ({ part, isLoss }) => <Meter part={part} isLoss={isLoss} /> },
]

/** Shows the positions of a range in the list. */
function RangeLink({ of, children }: { of: string; children: ReactNode }) {
  const url = useUrlState()
  return (
    <Link
      className="bin"
      href={url.link({ health: of })}
      aria-current={url.get('health') === of ? 'true' : undefined}
      onClick={() => document.getElementById('closest')?.scrollIntoView({ block: 'nearest' })}
    >
      {children}
    </Link>
  )
}

/** How many positions have which health factor. Each range leads to its positions. */
export function HealthHistogram() {
  const answer = useGraph(HealthFactorsDocument, {})
  return (
    <figure className="chart histogram">
      <figcaption>
        <h3>Health factors now</h3>
      </figcaption>
      <Answer of={answer} rows={9}>
        {(data) => {
          const known = BINS.map(([key, name], i) => ({
            name,
            slug: key,
            count: data[key].totalCount,
            isLoss: i < RED,
          }))
          const sum = known.reduce((sum, { count }) => sum + count, 0)
          const bins = [
            ...known,
            { name: 'Liquidation LTV or price unknown', count: data.indebted.totalCount - sum },
          ]
          const most = Math.max(...bins.map(({ count }) => count), 1)
          return (
            <>
              <Table
                caption="Health factors now"
                columns={columns}
                rows={bins.map((bin) => ({ ...bin, part: bin.count / most }))}
                rowKey={({ name }) => name}
              />
              <p>
                <Num value={data.withoutDebt.totalCount} unit="count" /> more have no debt.
              </p>
            </>
          )
        }}
      </Answer>
    </figure>
  )
}
