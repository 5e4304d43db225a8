import {
  PoolAtRiskDocument,
  type PoolAtRiskFragment,
  type TokenNameFragment,
} from 'lending-graph-client'
import { Answer } from './answer.tsx'
import { TokenSymbol } from './name.tsx'
import { Section } from './page-frame.tsx'
import { type Column, Table } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { Num } from './values.tsx'

const SIZES = [0.05, 0.1, 0.2, 0.3, 0.5]

interface Row {
  size: number
  down: PoolAtRiskFragment | undefined
  up: PoolAtRiskFragment | undefined
}

const AtRisk = ({ of }: { of: PoolAtRiskFragment | undefined }) => (
  <>
    <Num value={of ? of.debtUsd : 0} unit="usd" ifZero="no debt" />
    {of?.positionCount ? (
      <small className="line">
        <Num
          value={of.positionCount}
          unit="count"
          suffix={of.positionCount === 1 ? 'position' : 'positions'}
        />
      </small>
    ) : null}
  </>
)

const columns: Column<Row>[] = [
  { name: 'Price shock', heads: true, cell: ({ size }) => <Num value={size} unit="percent" /> },
  { name: 'Debt at risk, price down', numeric: true, cell: ({ down }) => <AtRisk of={down} /> },
  { name: 'Debt at risk, price up', numeric: true, cell: ({ up }) => <AtRisk of={up} /> },
]

/** The debt that a move of the price of either token would liquidate in a pool. */
export function PoolAtRisk({ address, tokens }: { address: string; tokens: TokenNameFragment[] }) {
  const shocks = tokens.flatMap(({ address }) =>
    SIZES.flatMap((size) => [-size, size].map((change) => ({ asset: address, change }))),
  )
  const variables = { pool: address, shocks }
  const answer = useGraph(PoolAtRiskDocument, variables)
  return (
    <Section
      ofNow
      id="at-risk"
      title="Price shock"
      operation={{ query: PoolAtRiskDocument, variables }}
    >
      <p>The debt that can be liquidated if the price of one token moves and the other stays.</p>
      <Answer of={answer} rows={5}>
        {({ poolsAtRisk }) => (
          <>
            <div className="columns">
              {tokens.map((token) => {
                const at = (change: number) =>
                  poolsAtRisk.find((row) => row.asset === token.address && row.change === change)
                return (
                  <section key={token.id}>
                    <h3>
                      If <TokenSymbol token={token} /> moves
                    </h3>
                    <Table
                      caption={`Price shock of ${token.symbol}`}
                      columns={columns}
                      rows={SIZES.map((size) => ({ size, down: at(-size), up: at(size) }))}
                      rowKey={({ size }) => String(size)}
                    />
                  </section>
                )
              })}
            </div>
            <NotCounted of={poolsAtRisk} />
          </>
        )}
      </Answer>
    </Section>
  )
}

/** Says how many positions are not counted, and why. */
function NotCounted({ of: [first] }: { of: readonly PoolAtRiskFragment[] }) {
  if (!first || first.unknownPositionCount === 0) return null
  return (
    <p>
      Not counted, as a liquidation LTV or a price is not known:{' '}
      <Num value={first.unknownPositionCount} unit="count" /> positions with a debt of{' '}
      <Num value={first.unknownDebtUsd} unit="usd" />.
    </p>
  )
}
