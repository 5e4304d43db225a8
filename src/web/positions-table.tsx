import type { PositionOriginFragment, PositionSideFragment } from 'lending-graph-client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { WholeList } from './all-rows.tsx'
import { Empty } from './answer.tsx'
import { Factors } from './multiplier-chips.tsx'
import { TokenSymbol } from './name.tsx'
import { type Column, ColumnChoice, chosenColumns, PagedTable } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { HealthFactor, Num, PoolLink, WalletLink } from './values.tsx'

type Position = PositionOriginFragment

const wallet: Column<Position> = {
  name: 'Wallet',
  heads: true,
  cell: ({ user }) => <WalletLink address={user.address} />,
}

const pool: Column<Position> = {
  name: 'Pool',
  cell: ({ poolAddress, pool, sideA, sideB }) => (
    <PoolLink address={poolAddress} name={pool?.displayName} tokens={[sideA, sideB].map(tokenOf)} />
  ),
}

const amounts: Column<Position>[] = [
  {
    name: 'Supplied',
    numeric: true,
    cell: (position) => <Num value={sum(position, suppliedUsd)} unit="usd" />,
  },
  {
    name: 'Protected',
    numeric: true,
    cell: (position) => (
      <Num value={sum(position, protectedUsd)} unit="usd" ifZero="nothing protected" />
    ),
  },
  {
    name: 'Borrowed',
    numeric: true,
    cell: (position) => <Num value={sum(position, borrowedUsd)} unit="usd" ifZero="no debt" />,
  },
  {
    name: 'LTV',
    numeric: true,
    cell: (position) => (
      <IfDebt of={position}>
        <Num value={position.ltv} unit="percent" />
      </IfDebt>
    ),
  },
  {
    name: 'Health factor',
    numeric: true,
    cell: (position) => <HealthFactor factor={position.healthFactor} hasDebt={hasDebt(position)} />,
  },
  {
    name: 'Distance to liquidation',
    numeric: true,
    cell: (position) => (
      <IfDebt of={position}>
        <Num value={position.liquidationDrop} unit="percent" />
      </IfDebt>
    ),
  },
  {
    name: 'Points per day',
    numeric: true,
    cell: (position) => <PointsOfRun position={position} />,
  },
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

const hasDebt = ({ sideA, sideB }: Position) =>
  [sideA, sideB].some(({ borrowed }) => Number(borrowed.value) > 0)

/** A number that positions without debt do not have. */
const IfDebt = ({ of, children }: { of: Position; children: ReactNode }) =>
  hasDebt(of) ? children : <span className="none">no debt</span>

const tokenOf = ({ asset }: PositionSideFragment) => asset
const suppliedUsd = (side: PositionSideFragment) => side.supplied.usd ?? 0
const protectedUsd = (side: PositionSideFragment) => side.protected.usd ?? 0
const borrowedUsd = (side: PositionSideFragment) => side.borrowed.usd ?? 0
const sum = ({ sideA, sideB }: Position, of: (side: PositionSideFragment) => number) =>
  of(sideA) + of(sideB)

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
  /** The list of the graph that they are of, to save all of them. */
  whole: WholeList
}

/** Positions: what is in them, and where their points come from. */
export function PositionsTable({ ofWallets = false, ...list }: PositionsTableProps) {
  const columns = ofWallets ? [wallet, pool, ...amounts] : [{ ...pool, heads: true }, ...amounts]
  const chosen = chosenColumns(columns, useUrlState())
  return (
    <>
      <ColumnChoice columns={columns} />
      <PagedTable
        {...list}
        columns={chosen}
        rowKey={({ id }) => id}
        empty={<Empty>None.</Empty>}
        cards="facts"
      />
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

const Price = ({ side: { asset, priceUsd } }: { side: PositionSideFragment }) => (
  <span className="line">
    <TokenSymbol token={asset} /> <Num value={priceUsd} unit="usd" />
  </span>
)
