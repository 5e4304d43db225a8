import type { MultiplierRowFragment, PositionOriginFragment, PositionSideFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { Empty } from './answer.tsx'
import { times } from './format.ts'
import { type Column, ColumnChoice, chosenColumns, PagedTable } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { Num, PoolLink, Unknown, WalletLink } from './values.tsx'

type Position = PositionOriginFragment

const wallet: Column<Position> = {
  name: 'Wallet',
  heads: true,
  cell: ({ userAddress }) => <WalletLink address={userAddress} />,
}

const pool: Column<Position> = {
  name: 'Pool',
  cell: ({ poolAddress, pool, sideA, sideB }) => (
    <PoolLink address={poolAddress} name={pool?.displayName} tokens={[sideA, sideB].map(tokenOf)} />
  ),
}

const amounts: Column<Position>[] = [
  { name: 'Supplied', numeric: true, cell: (position) => <Num value={sum(position, suppliedUsd)} unit="usd" /> },
  { name: 'Protected', numeric: true, cell: (position) => <Num value={sum(position, protectedUsd)} unit="usd" /> },
  {
    name: 'Borrowed',
    numeric: true,
    cell: (position) => <Num value={sum(position, borrowedUsd)} unit="usd" ifZero="no debt" />,
  },
  { name: 'LTV', numeric: true, cell: ({ ltv }) => <Num value={ltv} unit="percent" /> },
  { name: 'Health factor', numeric: true, cell: ({ healthFactor }) => <Health factor={healthFactor} /> },
  {
    name: 'Drop to liquidation',
    numeric: true,
    cell: ({ liquidationDrop }) => <Num value={liquidationDrop} unit="percent" />,
  },
  { name: 'Points', numeric: true, cell: (position) => <PointsOfRun position={position} /> },
  {
    name: 'Prices',
    optional: true,
    cell: ({ sideA, sideB }) => (
      <>
        <Price side={sideA} />
        <Price side={sideB} />
      </>
    ),
  },
  {
    name: 'Multipliers',
    cell: ({ multiplierUsed, sideA, sideB }) => (
      <Factors multiplier={multiplierUsed} symbols={[sideA.asset.symbol, sideB.asset.symbol]} />
    ),
  },
]

const tokenOf = ({ asset }: PositionSideFragment) => asset
const suppliedUsd = (side: PositionSideFragment) => side.supplied.usd ?? 0
const protectedUsd = (side: PositionSideFragment) => side.protected.usd ?? 0
const borrowedUsd = (side: PositionSideFragment) => side.borrowed.usd ?? 0
const sum = ({ sideA, sideB }: Position, of: (side: PositionSideFragment) => number) => of(sideA) + of(sideB)

interface PositionsTableProps {
  caption: string
  /** A page of positions. */
  list: { nodes: readonly Position[]; totalCount: number }
  /** The number of rows of a page. */
  rows: number
  /** The parameter of the address that has the number of the page. */
  parameter?: string
  /** True if they are of several wallets. */
  ofWallets?: boolean
}

/** Positions: what is in them, and where their points come from. */
export function PositionsTable({ ofWallets = false, ...list }: PositionsTableProps) {
  const columns = ofWallets ? [wallet, pool, ...amounts] : [{ ...pool, heads: true }, ...amounts]
  const chosen = chosenColumns(columns, useUrlState())
  return (
    <>
      <ColumnChoice columns={columns} />
      <PagedTable {...list} columns={chosen} rowKey={({ id }) => id} empty={<Empty>None.</Empty>} />
    </>
  )
}

/** The points of a position, which lead to the run that computed them. */
function PointsOfRun({ position: { points, run } }: { position: Position }) {
  if (!run) return <Num value={points} unit="points" />
  return (
    <Link href={`/runs/${run.recordId}`}>
      <Num value={points} unit="points" />
      <span className="visually-hidden"> points: run {run.recordId}</span>
    </Link>
  )
}

/** Below this health factor a loan is near its liquidation. */
const NEAR = 1.1

const Health = ({ factor }: { factor: number | null }) => (
  <span className={factor !== null && factor < NEAR ? 'loss' : undefined}>
    <Num value={factor} unit="factor" />
  </span>
)

const Price = ({ side: { asset, priceUsd } }: { side: PositionSideFragment }) => (
  <span className="line">
    {asset.symbol} <Num value={priceUsd} unit="usd" />
  </span>
)

interface FactorsProps {
  multiplier: Partial<MultiplierRowFragment> | null | undefined
  /** The tokens of sides A and B. */
  symbols: readonly [string, string]
}

/** The factors of a pool, or that its positions score 0. */
export function PoolFactors({ multiplier, symbols }: FactorsProps) {
  const { depositA, depositB, borrowA, borrowB } = multiplier ?? {}
  if (depositA || depositB || borrowA || borrowB) return <Factors multiplier={multiplier} symbols={symbols} />
  return <small>no multiplier: positions score 0</small>
}

/** The multiplier of each side, or that points were not computed from any. */
export function Factors({ multiplier, symbols: [a, b] }: FactorsProps) {
  if (!multiplier) return <Unknown />
  const { depositA, depositB, borrowA, borrowB } = multiplier
  const sides: [number | null | undefined, string][] = [
    [depositA, `supply ${a}`],
    [depositB, `supply ${b}`],
    [borrowA, `borrow ${a}`],
    [borrowB, `borrow ${b}`],
  ]
  const chips = new Map<number, string[]>()
  for (const [factor, side] of sides) if (factor) chips.set(factor, [...(chips.get(factor) ?? []), side])
  if (chips.size === 0) return <small>all 0x</small>
  return (
    <span className="chips">
      {[...chips]
        .sort(([one], [other]) => other - one)
        .map(([factor, sides]) => (
          <span key={factor} className={factor > 1 ? 'chip raised' : 'chip'}>
            {times(factor)} {sides.length === 4 ? 'supply, borrow' : sides.join(', ')}
          </span>
        ))}
    </span>
  )
}
