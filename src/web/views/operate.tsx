import { type RunRowFragment, RunsDocument, StatusDocument } from 'lending-graph-client'
import { Answer, Empty } from '../answer.tsx'
import { ClientsOfGateway } from '../clients.tsx'
import { Missing } from '../missing-data.tsx'
import { Page, Section } from '../page-frame.tsx'
import { runColumns, sourceColumns } from '../run-columns.tsx'
import { type Column, PagedTable, Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Unknown } from '../values.tsx'
import { WhatIf } from '../what-if.tsx'

const ROWS = 10

/** For operators: what a run would change, what data is missing, the runs so far, keys and hooks. */
export function Operate() {
  return (
    <Page ofNow title="Operate">
      <p className="lede">
        Change multipliers and see who wins and loses before anything is stored. A preview and the
        list of keys and hooks need the admin token of the gateway, which this page forgets when it
        is closed.
      </p>
      <WhatIf />
      <Missing />
      <Runs />
      <Sources />
      <ClientsOfGateway />
    </Page>
  )
}

const [number, ...others] = runColumns
const columnsOfRuns: Column<RunRowFragment>[] = [
  ...(number ? [number] : []),
  { name: 'Date', cell: ({ date }) => (date ? <DistributionLink date={date} /> : <Unknown />) },
  ...others,
]

function Runs() {
  const variables = usePage(ROWS)
  const answer = useGraph(RunsDocument, variables)
  return (
    <Section id="runs" title="Runs" operation={{ query: RunsDocument, variables }}>
      <Answer of={answer} rows={ROWS}>
        {({ runs }) => (
          <PagedTable
            caption="Runs"
            columns={columnsOfRuns}
            list={runs}
            whole={{ name: 'runs' }}
            rows={ROWS}
            rowKey={({ id }) => id}
            empty={<Empty>No run is recorded.</Empty>}
          />
        )}
      </Answer>
    </Section>
  )
}

function Sources() {
  const answer = useGraph(StatusDocument, {})
  return (
    <Section
      id="sources"
      title="Sources of the last run"
      operation={{ query: StatusDocument, variables: {} }}
    >
      <Answer of={answer} rows={1}>
        {({ status: { lastRun } }) =>
          lastRun?.sources.length ? (
            <Table
              caption="Sources"
              columns={sourceColumns}
              rows={lastRun.sources}
              rowKey={({ kind, name }) => `${kind} ${name}`}
            />
          ) : (
            <Empty>
              {lastRun
                ? 'The last run fetched nothing: a resync reads the stored positions.'
                : 'There was no run yet.'}
            </Empty>
          )
        }
      </Answer>
    </Section>
  )
}
