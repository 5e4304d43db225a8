import type { AtRiskFragment, PoolAtRiskFragment } from 'lending-graph-client'
import { type ReactNode, useState } from 'react'
import { Empty } from './answer.tsx'
import { percentText } from './scenario.ts'
import { type Column, Table } from './table.tsx'
import { Num, PoolLink } from './values.tsx'

/** The columns, in percent, next to that of the present change. */
const COLUMNS = [-50, -30, -20, -10, -5, 5, 10, 20, 30, 50]
const ROWS = 10
const SHADES = 5

type Sums = Pick<PoolAtRiskFragment, 'debtUsd' | 'positionCount'>

interface Row {
  key: string
  name: ReactNode
  isTotal?: boolean
  /** The sums of a change, as a fraction. Undefined if they are being fetched. */
  at(change: number): Sums | undefined
}

interface HeatMapProps {
  totals: readonly AtRiskFragment[]
  pools: readonly PoolAtRiskFragment[]
  percent: number
}

const NONE: Sums = { debtUsd: 0, positionCount: 0 }

/** The debt at risk of each pool by change of a price: the darker, the more. */
export function HeatMap({ totals, pools, percent }: HeatMapProps) {
  const [isOpen, setOpen] = useState(false)
  const percents = [...new Set([...COLUMNS, percent])].sort((a, b) => a - b)
  const changes = percents.map((percent) => percent / 100)
  const totalsByChange = new Map(totals.map((total) => [total.change, total]))
  const rows = rowsOf(pools, totalsByChange)
  const debt = ({ at }: Row, change: number) => at(change)?.debtUsd ?? 0
  const shown = rows
    .map((row) => ({
      row,
      now: debt(row, percent / 100),
      most: Math.max(...changes.map((change) => debt(row, change))),
    }))
    .filter(({ most }) => most > 0)
    .sort((a, b) => b.now - a.now || b.most - a.most)
  const most = Math.max(...shown.map(({ most }) => most), 0)
  const ordered = shown.map(({ row }) => row)
  const isFolded = !isOpen && ordered.length > ROWS + 1
  const rest = ordered.slice(ROWS)
  const total: Row = {
    key: 'total',
    name: 'All pools',
    isTotal: true,
    at: (n) => totalsByChange.get(n),
  }
  const others: Row = {
    key: 'rest',
    name: (
      <button type="button" onClick={() => setOpen(true)}>
        and {rest.length} more
      </button>
    ),
    at: (change) => ({ ...NONE, debtUsd: rest.reduce((sum, row) => sum + debt(row, change), 0) }),
  }
  if (ordered.length === 0)
    return <Empty>No price shock of this token liquidates a position.</Empty>
  const cell = (row: Row, change: number) => {
    const sums = row.at(change)
    if (!sums) return '…'
    const shade = Math.ceil(Math.sqrt((sums.debtUsd ?? 0) / most) * SHADES)
    const number = <Num value={sums.debtUsd} unit="usd" ifZero="no debt" />
    if (row.isTotal) return <strong>{number}</strong>
    return (
      <span className="heat" data-shade={shade || undefined}>
        {number}
      </span>
    )
  }
  const columns: Column<Row>[] = [
    {
      name: 'Pool',
      heads: true,
      cell: ({ name, isTotal }) => (isTotal ? <strong>{name}</strong> : name),
    },
    ...percents.map((value, n): Column<Row> => {
      const change = changes[n] as number
      const name = percentText(value)
      return {
        name: value === percent ? `▸ ${name}` : name,
        key: name,
        numeric: true,
        cell: (row) => cell(row, change),
      }
    }),
  ]
  return (
    <div className="heat-map">
      <Table
        caption="Debt at risk by pool"
        columns={columns}
        rows={[...(isFolded ? [...ordered.slice(0, ROWS), others] : ordered), total]}
        rowKey={({ key }) => key}
      />
    </div>
  )
}

function rowsOf(
  pools: readonly PoolAtRiskFragment[],
  totalsByChange: ReadonlyMap<number, unknown>,
): Row[] {
  const addresses = [...new Set(pools.map(({ poolAddress }) => poolAddress))]
  return addresses.map((address) => {
    const sums = pools.filter(({ poolAddress }) => poolAddress === address)
    const byChange = new Map(sums.map((sum) => [sum.change, sum]))
    return {
      key: address,
      name: <PoolLink address={address} name={sums[0]?.pool?.displayName} />,
      at: (change) => byChange.get(change) ?? (totalsByChange.has(change) ? NONE : undefined),
    }
  })
}
