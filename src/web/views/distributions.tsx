import {
  type DistributionRowFragment,
  DistributionsDocument,
  ProgramChartDocument,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, NothingStored } from '../answer.tsx'
import { usePast } from '../as-of.tsx'
import { Chart } from '../chart.tsx'
import { useMarks } from '../marks.ts'
import { Page, Section } from '../page-frame.tsx'
import { KIND } from '../run-words.ts'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, PagedTable, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Moment, Num } from '../values.tsx'

const ROWS = 30

const columns: Column<DistributionRowFragment>[] = [
  { name: 'Date', heads: true, cell: ({ date }) => <DistributionLink date={date} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
  {
    name: 'Wallets',
    numeric: true,
    cell: ({ userCount }) => <Num value={userCount} unit="count" />,
  },
  {
    name: 'Positions',
    numeric: true,
    cell: ({ positionCount }) => <Num value={positionCount} unit="count" />,
  },
  { name: 'Computed by', cell: ({ kind }) => KIND[kind] },
  { name: 'Computed at', cell: ({ finishedAt }) => <Moment iso={finishedAt} /> },
]

/** All distribution dates, and the program through time. */
export function Distributions() {
  const { asOf } = usePast()
  const where = asOf && { date: { lte: asOf } }
  const variables = { ...usePage(ROWS), ...(where && { where }) }
  const distributions = useGraph(DistributionsDocument, variables)
  const span = useSpan()
  const marks = useMarks()
  const chart = useGraph(ProgramChartDocument, { ...span }, { pause: !span })
  return (
    <Page title="Distributions" operation={{ query: DistributionsDocument, variables }}>
      <p className="lede">
        On each distribution date every position gets points for its amounts, prices and
        multipliers, by <Link href="/rules">the rules of the date</Link>.
      </p>
      <Answer of={distributions} rows={ROWS}>
        {({ distributions: list }) =>
          list.totalCount === 0 ? (
            <NothingStored of="positions" />
          ) : (
            <>
              <Section
                id="charts"
                title="History"
                operation={{ query: ProgramChartDocument, variables: { ...span } }}
                more={<RangeChoice />}
              >
                <div className="charts">
                  <Answer of={chart} charts={1}>
                    {({ program: { series } }) => (
                      <Chart
                        title="Points of the program"
                        unit="points"
                        times={series.map(({ start }) => start)}
                        series={[{ label: 'Points', values: series.map(({ points }) => points) }]}
                        marks={marks}
                      />
                    )}
                  </Answer>
                </div>
              </Section>
              <Section id="dates" title="By date">
                <PagedTable
                  caption="Distributions"
                  columns={columns}
                  list={list}
                  whole={{ name: 'distributions', arguments: variables }}
                  rows={ROWS}
                  rowKey={({ id }) => id}
                  empty={null}
                />
              </Section>
            </>
          )
        }
      </Answer>
    </Page>
  )
}
