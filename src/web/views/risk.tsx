import { type PositionRiskFragment, RiskDocument, type RiskQuery } from 'lending-graph-client'
import type { FormEvent } from 'react'
import { Answer, Empty } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { decimalOf } from '../decimal.ts'
import { TokenIcons } from '../identity.tsx'
import { nameText, TokenSymbol } from '../name.tsx'
import { cut } from '../names.ts'
import { Page } from '../page-frame.tsx'
import { type Column, PagedTable, Table, usePage } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, PoolLink, Unknown, WalletLink } from '../values.tsx'

const ROWS = 20

type Market = RiskQuery['markets']['nodes'][number]

/** Amounts of both sides in USD, each with its token. */
const Amounts = ({ of }: { of: { symbol: string; usd: number }[] }) =>
  of
    .filter(({ usd }) => usd > 0)
    .map(({ symbol, usd }) => (
      <span key={symbol} className="line">
        <Num value={usd} unit="usd" /> {cut(symbol)}
      </span>
    ))

/** The price or the ratio that liquidates, and how far it is: WETH > $3,287.55, +1.36%. */
function Trigger({ of }: { of: PositionRiskFragment['liquidationTrigger'] }) {
  if (!of) return <Unknown />
  const { asset, against, direction, priceUsd, ratio, change } = of
  return (
    <>
      <TokenSymbol token={asset} />
      {against && '/'}
      {against && <TokenSymbol token={against} />}
      {direction === 'UP' ? ' > ' : ' < '}
      <Num value={against ? ratio : priceUsd} unit={against ? 'amount' : 'usd'} />
      <small className="line">
        {change > 0 && '+'}
        <Num value={change} unit="percent" />
      </small>
    </>
  )
}

const sidesOf = ({ sideA, sideB }: PositionRiskFragment) => [
  { side: sideA, other: sideB },
  { side: sideB, other: sideA },
]

const positionColumns: Column<PositionRiskFragment>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Drop to liquidation',
    numeric: true,
    cell: ({ liquidationDrop }) => <Num value={liquidationDrop} unit="percent" />,
  },
  {
    name: 'Liquidated when',
    numeric: true,
    cell: ({ liquidationTrigger }) => <Trigger of={liquidationTrigger} />,
  },
  {
    name: 'Collateral',
    numeric: true,
    cell: (position) => (
      <Amounts
        of={sidesOf(position).map(({ side, other }) => ({
          symbol: side.asset.symbol,
          usd:
            (other.borrowed.usd ?? 0) > 0
              ? (side.supplied.usd ?? 0) + (side.protected.usd ?? 0)
              : 0,
        }))}
      />
    ),
  },
  {
    name: 'Debt',
    numeric: true,
    cell: (position) => (
      <Amounts
        of={sidesOf(position).map(({ side }) => ({
          symbol: side.asset.symbol,
          usd: side.borrowed.usd ?? 0,
        }))}
      />
    ),
  },
  {
    name: 'Health factor',
    numeric: true,
    cell: ({ healthFactor }) => <Num value={healthFactor} unit="factor" />,
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

const Positions = ({ count }: { count: number | null | undefined }) => (
  <Num
    value={count}
    unit="count"
    suffix={count === 1 ? 'position' : 'positions'}
    ifZero="no position"
  />
)

/** The debt that each drop would liquidate. */
const marketColumns = (drops: number[]): Column<Market>[] => [
  {
    name: 'Collateral',
    heads: true,
    cell: ({ asset, pool }) => (
      <>
        <span className="named">
          <TokenIcons tokens={[asset]} /> <TokenSymbol token={asset} />
        </span>
        {pool && (
          <>
            {' in '}
            <PoolLink address={pool.address} name={pool.displayName} />
          </>
        )}
      </>
    ),
  },
  {
    name: 'Threshold',
    numeric: true,
    cell: ({ liquidationThreshold }) => <Num value={liquidationThreshold} unit="percent" />,
  },
  ...drops.map(
    (drop, n): Column<Market> => ({
      name: `−${Math.round(drop * 100)} %`,
      numeric: true,
      cell: ({ collateralAtRisk: { [n]: fall } }) => (
        <>
          <Num value={fall?.debtUsd} unit="usd" ifZero="no debt" />
          {fall?.positionCount !== 0 && (
            <small className="line">
              <Positions count={fall?.positionCount} />
            </small>
          )}
        </>
      ),
    }),
  ),
  {
    name: 'Not known',
    numeric: true,
    cell: ({ collateralAtRisk: [first] }) => <Positions count={first?.unknownPositionCount} />,
  },
]

/**
 * Who falls first if a token loses a part of its price, and how much debt falls of prices would
 * liquidate.
 */
export function Risk() {
  const url = useUrlState()
  const [percent, asset] = [url.get('drop') ?? '12', url.get('asset')]
  const number = decimalOf(percent)
  const drop = (number ?? 0) / 100
  const isDrop = drop > 0 && drop <= 1
  const variables = { drop, ...usePage(ROWS), ...(asset && { assets: [asset] }) }
  const answer = useGraph(RiskDocument, variables, { pause: !isDrop })
  const assets = answer.data?.assets.nodes ?? []
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('drop'))
    url.set({ drop: String(decimalOf(typed) ?? typed) })
  }
  return (
    <Page title="Risk" {...(isDrop && { operation: { query: RiskDocument, variables } })}>
      <p className="lede">
        A position can be liquidated once its collateral has lost so much of its price that its
        health factor is below 1.
      </p>
      <div className="choices">
        <label>
          Collateral
          <select
            value={asset ?? ''}
            onChange={({ target }) => url.set({ asset: target.value || undefined })}
          >
            <option value="">All tokens</option>
            {asset && !assets.some(({ address }) => address === asset) && (
              <option value={asset}>{asset}</option>
            )}
            {assets.map(({ id, symbol, address, chainId }) => (
              <option key={id} value={address}>
                {nameText({ kind: 'token', name: symbol, address })} on {chainName(chainId)}
              </option>
            ))}
          </select>
        </label>
        <form key={percent} onSubmit={choose} className="own-place">
          <label>
            Loses, in %
            <input name="drop" inputMode="decimal" defaultValue={percent} maxLength={10} required />
          </label>
          <button type="submit">Show</button>
        </form>
      </div>
      {!isDrop && (
        <Empty>
          A fall of a price is above 0 and at most 100 %.
          {number === undefined && ' Write it as 12.5 or 12,5, without a separator of thousands.'}
        </Empty>
      )}
      {isDrop && (
        <Answer of={answer} rows={ROWS}>
          {({ currentPositions, markets }) => (
            <>
              <h2>First to fall</h2>
              <PagedTable
                caption="First to fall"
                columns={positionColumns}
                list={currentPositions}
                rowKey={({ id }) => id}
                rows={ROWS}
                empty={
                  <Empty>
                    No position with a known health factor is liquidated by such a fall.
                  </Empty>
                }
              />
              <h2>Debt at risk</h2>
              <p>
                The debt that a fall of the collateral's price would liquidate, in the largest
                markets.
              </p>
              {markets.nodes.length === 0 ? (
                <Empty>{asset ? 'No market has this token.' : 'No market is stored.'}</Empty>
              ) : (
                <Table
                  caption="Debt at risk"
                  columns={marketColumns(
                    markets.nodes[0]?.collateralAtRisk.map(({ drop }) => drop) ?? [],
                  )}
                  rows={markets.nodes}
                  rowKey={({ id }) => id}
                />
              )}
            </>
          )}
        </Answer>
      )}
    </Page>
  )
}
