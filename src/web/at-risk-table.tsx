import { type AtRiskFragment, PoolAtRiskDocument } from 'lending-graph-client'
import { Answer } from './answer.tsx'
import { TokenSymbol } from './name.tsx'
import { type Column, Table } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { Num } from './values.tsx'

const columns: Column<AtRiskFragment>[] = [
  {
    name: 'Fall of the price',
    heads: true,
    cell: ({ drop }) => <Num value={drop} unit="percent" />,
  },
  {
    name: 'Positions',
    numeric: true,
    cell: ({ positionCount }) => <Num value={positionCount} unit="count" />,
  },
  {
    name: 'Collateral',
    numeric: true,
    cell: ({ collateralUsd }) => <Num value={collateralUsd} unit="usd" />,
  },
  { name: 'Debt', numeric: true, cell: ({ debtUsd }) => <Num value={debtUsd} unit="usd" /> },
]

/** How much collateral and debt falls of the price of either token would liquidate in a pool. */
export function PoolAtRisk({ address }: { address: string }) {
  const answer = useGraph(PoolAtRiskDocument, { address })
  return (
    <section aria-labelledby="at-risk">
      <h2 id="at-risk">Collateral at risk</h2>
      <p>The positions that can be liquidated if one token loses a part of its price.</p>
      <Answer of={answer} rows={5}>
        {({ pool }) =>
          [pool?.marketA, pool?.marketB].map(
            (market) =>
              market && (
                <div key={market.id}>
                  <h3>
                    If <TokenSymbol token={market.asset} /> falls
                  </h3>
                  <Table
                    caption={`Collateral at risk in ${market.asset.symbol}`}
                    columns={columns}
                    rows={market.collateralAtRisk}
                    rowKey={({ drop }) => String(drop)}
                  />
                  <NotCounted of={market.collateralAtRisk} />
                </div>
              ),
          )
        }
      </Answer>
    </section>
  )
}

/** Says how many positions are not counted, and why. */
function NotCounted({ of: [first] }: { of: readonly AtRiskFragment[] }) {
  if (!first || first.unknownPositionCount === 0) return null
  return (
    <p>
      Not counted, as a liquidation threshold or a price is not known:{' '}
      <Num value={first.unknownPositionCount} unit="count" /> positions with a debt of{' '}
      <Num value={first.unknownDebtUsd} unit="usd" />.
    </p>
  )
}
