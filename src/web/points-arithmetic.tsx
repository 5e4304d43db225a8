import type { PositionOriginFragment, PositionSideFragment } from 'lending-graph-client'
import { times } from './format.ts'
import { type Column, Table } from './table.tsx'
import { Num, PoolLink } from './values.tsx'

type Amount = PositionSideFragment['supplied']

/** An amount that scores: its value in USD, times the points of a dollar, times a multiplier. */
interface Term {
  key: string
  position: PositionOriginFragment
  what: string
  amount: Amount['value']
  symbol: string
  priceUsd: number
  valueUsd: number
  base: number
  factor: number
}

const columns: Column<Term>[] = [
  {
    name: 'Pool',
    heads: true,
    cell: ({ position: { poolAddress, pool } }) => (
      <PoolLink address={poolAddress} name={pool?.displayName} />
    ),
  },
  { name: 'What', cell: ({ what }) => what },
  {
    name: 'Amount',
    numeric: true,
    cell: ({ amount, symbol }) => <Num value={amount} unit="amount" suffix={symbol} />,
  },
  { name: '× price', numeric: true, cell: ({ priceUsd }) => <Num value={priceUsd} unit="usd" /> },
  { name: '= value', numeric: true, cell: ({ valueUsd }) => <Num value={valueUsd} unit="usd" /> },
  { name: '× points per $', numeric: true, cell: ({ base }) => <Num value={base} unit="factor" /> },
  { name: '× multiplier', numeric: true, cell: ({ factor }) => times(factor) },
  {
    name: '= points',
    numeric: true,
    cell: ({ valueUsd, base, factor }) => <Num value={valueUsd * base * factor} unit="points" />,
  },
]

/** The arithmetic behind a day's points. Nothing for positions whose rules are not recorded. */
export function PointsArithmetic({ positions }: { positions: readonly PositionOriginFragment[] }) {
  const terms = positions.flatMap(termsOf)
  if (terms.length === 0) return null
  return (
    <details>
      <summary>How these points add up</summary>
      <p className="lede">
        The points of a position are the sum of its rows. A protected amount counts only while the
        other token of the pool is borrowed.
      </p>
      <Table
        caption="How the points add up"
        columns={columns}
        rows={terms}
        rowKey={({ key }) => key}
      />
    </details>
  )
}

function termsOf(position: PositionOriginFragment): Term[] {
  const { run, multiplierUsed, sideA, sideB, id } = position
  if (!run || !multiplierUsed) return []
  const ofSide = (
    side: PositionSideFragment,
    other: PositionSideFragment,
    deposit: number,
    borrow: number,
  ): Term[] => {
    const term = (what: string, { value, usd }: Amount, base: number, factor: number): Term => ({
      ...{
        key: `${id} ${side.asset.address} ${what}`,
        position,
        what,
        amount: value,
        valueUsd: usd ?? 0,
        base,
        factor,
      },
      ...{ symbol: side.asset.symbol, priceUsd: side.priceUsd },
    })
    const owed = other.borrowed.usd ?? 0
    const supplied = (side.supplied.usd ?? 0) + (side.protected.usd ?? 0)
    const isCounted = owed > 0 && owed >= (run.basePointsProtectedMinLtv ?? 0) * supplied
    return [
      term('supplied', side.supplied, run.basePointsDeposit, deposit),
      ...(isCounted ? [term('protected', side.protected, run.basePointsDeposit, deposit)] : []),
      term('borrowed', side.borrowed, run.basePointsBorrow, borrow),
    ].filter(({ valueUsd }) => valueUsd > 0)
  }
  const { depositA, depositB, borrowA, borrowB } = multiplierUsed
  return [
    ...ofSide(sideA, sideB, depositA ?? 0, borrowA ?? 0),
    ...ofSide(sideB, sideA, depositB ?? 0, borrowB ?? 0),
  ]
}
