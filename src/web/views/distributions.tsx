import { type DistributionRowFragment, DistributionsDocument, ProgramChartDocument } from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, NothingStored } from '../answer.tsx'
import { Chart } from '../chart.tsx'
import { Page } from '../page-frame.tsx'
import { KIND } from '../run-words.ts'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, Pager, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Moment, Num } from '../values.tsx'

const ROWS = 30

const columns: Column<DistributionRowFragment>[] = [
  { name: 'Date', heads: true, cell: ({ date }) => <DistributionLink date={date} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
  { name: 'Wallets', numeric: true, cell: ({ userCount }) => <Num value={userCount} unit="count" /> },
  { name: 'Positions', numeric: true, cell: ({ positionCount }) => <Num value={positionCount} unit="count" /> },
  { name: 'Computed by', cell: ({ kind }) => KIND[kind] },
  { name: 'Computed at', cell: ({ finishedAt }) => <Moment iso={finishedAt} /> },
]

/** All distribution dates, and the program through time. */
export function Distributions() {
  const after = useUrlState().get('after')
  const variables = { first: ROWS, ...(after && { after }) }
  const distributions = useGraph(DistributionsDocument, variables)
  const span = useSpan()
  const chart = useGraph(ProgramChartDocument, { ...span }, { pause: !span })
  return (
    <Page title="Distributions" operation={{ query: DistributionsDocument, variables }}>
      <p>
        On each distribution date every position gets points for its amounts, prices and multipliers, by{' '}
        <Link href="/rules">the rules of the date</Link>.
      </p>
      <Answer of={distributions} rows={ROWS}>
        {({ distributions: { nodes, totalCount, pageInfo } }) =>
          totalCount === 0 ? (
            <NothingStored of="positions" />
          ) : (
            <>
              <h2>History</h2>
              <RangeChoice />
              <Answer of={chart} charts={1}>
                {({ program: { series } }) => (
                  <Chart
                    title="Points of the program"
                    unit="points"
                    times={series.map(({ start }) => start)}
                    series={[{ label: 'Points', values: series.map(({ points }) => points) }]}
                  />
                )}
              </Answer>
              <h2>By date</h2>
              <Table caption="Distributions" columns={columns} rows={nodes} rowKey={({ id }) => id} />
              <Pager label="distributions" pageInfo={pageInfo} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
