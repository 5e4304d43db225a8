import {
  type PositionRiskFragment,
  type PositionSideFragment,
  ShockedPositionsDocument,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from './answer.tsx'
import { useHealthRange } from './health-histogram.tsx'
import { Meter } from './meter.tsx'
import { TokenSymbol } from './name.tsx'
import { cut } from './names.ts'
import { Section } from './page-frame.tsx'
import type { Mover } from './scenario.ts'
import { type Column, PagedTable, usePage } from './table.tsx'
import { useUrlState } from './url-state.ts'
import { useGraph } from './use-graph.ts'
import { HealthFactor, Num, PoolLink, Unknown, WalletLink } from './values.tsx'

const ROWS = 20

type Token = PositionSideFragment['asset']

/** The move of a price, or of a ratio of prices, that liquidates a position. */
interface Trigger {
  asset: Token
  against?: Token
  isUp: boolean
  /** The price or ratio that liquidates, and the present one. */
  at: number | null
  now: number
  /** The move from the present one, as a fraction. */
  distance: number
}

const debtOf = (side: PositionSideFragment) => side.borrowed.usd ?? 0
const supplyOf = (side: PositionSideFragment) =>
  (side.supplied.usd ?? 0) + (side.protected.usd ?? 0)

/**
 * The trigger of a position by the direction of a shock: a fall is one of the collateral, a rise
 * one of the debt. Tokens that move together have a ratio. Undefined if both sides have debt, or
 * without collateral.
 */
function triggerOf(position: PositionRiskFragment, isRise: boolean): Trigger | undefined {
  const { sideA, sideB, healthFactor, liquidationTrigger } = position
  const [debt, backing] = debtOf(sideA) > 0 ? [sideA, sideB] : [sideB, sideA]
  if (!healthFactor || (debtOf(sideA) > 0 && debtOf(sideB) > 0)) return undefined
  const fall = 1 / healthFactor - 1
  if (liquidationTrigger?.against)
    return {
      asset: backing.asset,
      against: debt.asset,
      isUp: false,
      at: liquidationTrigger.ratio,
      now: backing.priceUsd / debt.priceUsd,
      distance: fall,
    }
  if (isRise)
    return {
      asset: debt.asset,
      isUp: true,
      at: position.liquidationDebtPriceUsd,
      now: debt.priceUsd,
      distance: healthFactor - 1,
    }
  return {
    asset: backing.asset,
    isUp: false,
    at: position.liquidationPriceUsd,
    now: backing.priceUsd,
    distance: fall,
  }
}

/** The condition that liquidates: ↑ WETH > $3,287.55, now $3,242.92. */
function Condition({ of }: { of: Trigger | undefined }) {
  if (!of) return <Unknown why="both sides have debt, or there is nothing to sell" />
  const { asset, against, isUp, at, now } = of
  const unit = against ? 'amount' : 'usd'
  return (
    <>
      <span aria-hidden="true">{isUp ? '↑ ' : '↓ '}</span>
      <TokenSymbol token={asset} />
      {against && '/'}
      {against && <TokenSymbol token={against} />}
      {isUp ? ' > ' : ' < '}
      <Num value={at} unit={unit} />
      <small className="present">
        now <Num value={now} unit={unit} />
      </small>
    </>
  )
}

/** How far the price is from the one that liquidates, as a part of the shock. */
function Distance({ of, shock }: { of: Trigger | undefined; shock: number }) {
  if (!of) return <Unknown why="both sides have debt, or there is nothing to sell" />
  const isPast = of.isUp ? of.distance <= 0 : of.distance >= 0
  return (
    <>
      {isPast ? (
        <span className="loss">can be liquidated now</span>
      ) : (
        <>
          {of.distance > 0 && '+'}
          <Num value={of.distance} unit="percent" />
        </>
      )}
      <Meter part={isPast ? 0 : of.distance / shock} />
    </>
  )
}

/** Amounts of both sides in USD, each with its token. */
const Amounts = ({ of }: { of: { symbol: string; usd: number }[] }) =>
  of
    .filter(({ usd }) => usd > 0)
    .map(({ symbol, usd }) => (
      <span key={symbol} className="line">
        <Num value={usd} unit="usd" /> {cut(symbol)}
      </span>
    ))

const columnsOf = (shock: number): Column<PositionRiskFragment>[] => [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Liquidated when',
    cell: (position) => <Condition of={triggerOf(position, shock > 0)} />,
  },
  {
    name: 'Distance to liquidation',
    numeric: true,
    cell: (position) => <Distance of={triggerOf(position, shock > 0)} shock={shock} />,
  },
  {
    name: 'Debt',
    numeric: true,
    cell: ({ sideA, sideB }) => (
      <Amounts
        of={[sideA, sideB].map((side) => ({ symbol: side.asset.symbol, usd: debtOf(side) }))}
      />
    ),
  },
  {
    name: 'Collateral',
    numeric: true,
    cell: ({ sideA, sideB }) => (
      <Amounts
        of={[
          { side: sideA, other: sideB },
          { side: sideB, other: sideA },
        ].map(({ side, other }) => ({
          symbol: side.asset.symbol,
          usd: debtOf(other) > 0 ? supplyOf(side) : 0,
        }))}
      />
    ),
  },
  {
    name: 'Health factor',
    numeric: true,
    cell: ({ healthFactor }) => <HealthFactor factor={healthFactor} hasDebt />,
  },
  { name: 'LTV', numeric: true, cell: ({ ltv }) => <Num value={ltv} unit="percent" /> },
  {
    name: 'Pool',
    cell: ({ poolAddress, pool, sideA, sideB }) => (
      <PoolLink
        address={poolAddress}
        name={pool?.displayName}
        tokens={[sideA.asset, sideB.asset]}
      />
    ),
  },
]

interface ShockedPositionsProps {
  mover: Mover
  /** The change that rested, as a fraction. */
  change: number
  /** True while another change is being chosen. */
  isMoving: boolean
}

/**
 * The positions that a shock liquidates, those that it liquidates first before the others; or those
 * with health factors in the range that the address chooses.
 */
export function ShockedPositions({ mover, change, isMoving }: ShockedPositionsProps) {
  const url = useUrlState()
  const health = useHealthRange()
  const wanted = health
    ? { where: { healthFactor: health.range } }
    : { shock: { ...mover.shock, change } }
  const variables = { ...wanted, ...usePage(ROWS) }
  const answer = useGraph(ShockedPositionsDocument, variables)
  return (
    <Section
      id="closest"
      title={health ? `Health factors: ${health.name}` : 'Closest to liquidation'}
      operation={{ query: ShockedPositionsDocument, variables }}
    >
      {health && (
        <p>
          These have the health factor now, whatever the price shock.{' '}
          <Link href={url.link({ health: undefined })}>Show those that the shock liquidates</Link>
        </p>
      )}
      <div className="follows" aria-busy={isMoving || answer.fetching}>
        <Answer of={answer} rows={8}>
          {({ currentPositions }) => (
            <PagedTable
              caption="Closest to liquidation"
              columns={columnsOf(change)}
              list={currentPositions}
              whole={{
                name: 'currentPositions',
                arguments: { ...variables, orderBy: 'HEALTH_FACTOR' },
              }}
              rowKey={({ id }) => id}
              rows={ROWS}
              cards
              empty={
                <Empty>
                  {health
                    ? 'No position has such a health factor.'
                    : 'This price shock liquidates no position with a known health.'}
                </Empty>
              }
            />
          )}
        </Answer>
      </div>
    </Section>
  )
}
