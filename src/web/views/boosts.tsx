import { BoostsDocument } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { Page } from '../page-frame.tsx'
import { PlaceChoice, usePlaces } from '../place-choice.tsx'
import { type PoolSide, sidesOf } from '../pool-sides.ts'
import { Factor, placeColumns, SideChoice, sideColumn, useChosenSide } from '../side-choice.tsx'
import { type Column, PagedTable, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'

const ROWS = 25

const columns: Column<PoolSide>[] = [
  sideColumn,
  {
    name: 'Points per $1,000 and day',
    numeric: true,
    cell: ({ perDollar }) => (
      <Num value={perDollar === null ? null : perDollar * 1000} unit="points" />
    ),
  },
  { name: 'Multiplier', numeric: true, cell: ({ factor }) => <Factor factor={factor} /> },
  { name: 'APR', numeric: true, cell: ({ apr }) => <Num value={apr} unit="percent" /> },
  ...placeColumns,
  {
    name: 'TVL of the side',
    numeric: true,
    cell: ({ market }) => <Num value={market?.tvlUsd} unit="usd" />,
  },
]

/** The sides of pools by the points that a dollar earns there: most points first. */
export function Boosts() {
  const boosts = useGraph(BoostsDocument, {})
  const isChosen = useChosenSide('both')
  const { offset = 0 } = usePage(ROWS)
  const places = usePlaces(boosts.data?.pools.nodes ?? [])
  const { chain, tokens } = places.chosen
  const isThere = ({ pool, asset }: PoolSide) =>
    (chain === undefined || pool.chainId === chain) &&
    (tokens.length === 0 || asset.symbol === tokens[0]?.symbol)
  return (
    <Page ofNow title="Boosts now" operation={{ query: BoostsDocument, variables: {} }}>
      <p className="lede">
        The points that $1,000 earns each day by the rules in force, on each side of the pools. The{' '}
        <Link href="/planner">planner</Link> adds the interest.
      </p>
      <div className="choices">
        <PlaceChoice of={places} />
        <SideChoice usual="both" />
      </div>
      <Answer of={boosts} rows={ROWS}>
        {({ pools }) => {
          const earning = sidesOf(pools.nodes)
            .filter(isChosen)
            .filter(({ perDollar, factor }) => (perDollar ?? factor ?? 0) > 0)
          const sides = earning.filter(isThere).sort(byPoints)
          if (pools.totalCount === 0) return <NothingStored of="pools" />
          return (
            <>
              <PagedTable
                caption="Boosts now"
                columns={columns}
                list={{ nodes: sides.slice(offset, offset + ROWS), totalCount: sides.length }}
                rows={ROWS}
                rowKey={({ key }) => key}
                empty={
                  earning.length > 0 ? (
                    <Empty>
                      No side like this earns points. <Link href="/boosts">Show all sides</Link>
                    </Empty>
                  ) : (
                    <Empty>No side of a pool earns points: no multiplier is set.</Empty>
                  )
                }
              />
              {pools.totalCount > pools.nodes.length && (
                <p className="lede">These are the {pools.nodes.length} largest pools.</p>
              )}
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

/** Most points first, then the largest. Unknown numbers come last. */
const byPoints = (one: PoolSide, other: PoolSide) =>
  (other.perDollar ?? -1) - (one.perDollar ?? -1) ||
  (other.market?.tvlUsd ?? 0) - (one.market?.tvlUsd ?? 0)
