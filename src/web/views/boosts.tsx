import { BoostsDocument } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { Page } from '../page-frame.tsx'
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
  return (
    <Page ofNow title="Boosts now" operation={{ query: BoostsDocument, variables: {} }}>
      <p className="lede">
        The points that $1,000 earns each day by the rules in force, on each side of the pools. The{' '}
        <Link href="/planner">planner</Link> adds the interest.
      </p>
      <SideChoice usual="both" />
      <Answer of={boosts} rows={ROWS}>
        {({ pools }) => {
          const sides = sidesOf(pools.nodes)
            .filter(isChosen)
            .filter(({ perDollar, factor }) => (perDollar ?? factor ?? 0) > 0)
            .sort(byPoints)
          if (pools.totalCount === 0) return <NothingStored of="pools" />
          return (
            <>
              <PagedTable
                caption="Boosts now"
                columns={columns}
                list={{ nodes: sides.slice(offset, offset + ROWS), totalCount: sides.length }}
                rows={ROWS}
                rowKey={({ key }) => key}
                empty={<Empty>No side of a pool earns points: no multiplier is set.</Empty>}
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
