import type { MultiplierRowFragment, PositionOriginFragment, PositionSideFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { times } from './format.ts'
import { type Column, Table } from './table.tsx'
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
  { name: 'Health factor', numeric: true, cell: ({ healthFactor }) => <Num value={healthFactor} unit="factor" /> },
  {
    name: 'Drop to liquidation',
    numeric: true,
    cell: ({ liquidationDrop }) => <Num value={liquidationDrop} unit="percent" />,
  },
  { name: 'Points', numeric: true, cell: (position) => <PointsOfRun position={position} /> },
  {
    name: 'Prices',
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
  positions: readonly Position[]
  /** True if they are of several wallets. */
  ofWallets?: boolean
}

/** Positions: what is in them, and where their points come from. */
export const PositionsTable = ({ caption, positions, ofWallets = false }: PositionsTableProps) => (
  <Table
    caption={caption}
    columns={ofWallets ? [wallet, pool, ...amounts] : [{ ...pool, heads: true }, ...amounts]}
    rows={positions}
    rowKey={({ id }) => id}
  />
)

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
  const chips = [
    { factor: depositA, of: `supply ${a}` },
    { factor: depositB, of: `supply ${b}` },
    { factor: borrowA, of: `borrow ${a}` },
    { factor: borrowB, of: `borrow ${b}` },
  ]
  if (!chips.some(({ factor }) => factor)) return <small>all 0x</small>
  return (
    <span className="chips">
      {chips.map(
        ({ factor, of }) =>
          !!factor && (
            <span key={of} className={factor > 1 ? 'chip raised' : 'chip'}>
              {times(factor)} {of}
            </span>
          ),
      )}
    </span>
  )
}
