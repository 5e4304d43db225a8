import { RunDocument, type RunQuery } from 'lending-graph-client'
import { Answer, Empty } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Page } from '../page-frame.tsx'
import { RevisionsTable } from '../revisions-table.tsx'
import { RunChanges } from '../run-changes.tsx'
import { sourceColumns } from '../run-columns.tsx'
import { KIND, STATUS } from '../run-words.ts'
import { type Column, Pager, Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Moment, Num, Unknown } from '../values.tsx'

const ROWS = 50

type RunOfQuery = NonNullable<RunQuery['run']>

/** A run: who computed what from which sources, with which multipliers, and what it changed. */
export function Run({ recordId }: { recordId: string }) {
  const variables = { recordId, ...usePage(ROWS) }
  const answer = useGraph(RunDocument, variables)
  return (
    <Page title={`Run ${recordId}`} operation={{ query: RunDocument, variables }}>
      <Answer of={answer} rows={8}>
        {({ run }) =>
          run ? <Details run={run} /> : <Empty>There is no run of this number.</Empty>
        }
      </Answer>
    </Page>
  )
}

function Details({ run }: { run: RunOfQuery }) {
  return (
    <>
      {run.error && (
        <p className="fault" role="alert">
          The run failed and stored nothing: {run.error}
        </p>
      )}
      <Changes run={run} />
      <RunChanges run={run} />
      <h2>The run</h2>
      <Facts>
        <Fact name="Distribution">
          {run.date ? <DistributionLink date={run.date} /> : <Unknown />}
        </Fact>
        <Fact name="Kind">{KIND[run.kind]}</Fact>
        <Fact name="Status">{STATUS[run.status]}</Fact>
        <Fact name="Requested by">{run.requestedBy}</Fact>
        <Fact name="Started">
          <Moment iso={run.startedAt} />
        </Fact>
        <Fact name="Duration">
          <Num
            value={run.durationMs === null ? null : run.durationMs / 1000}
            unit="count"
            suffix="s"
          />
        </Fact>
        <Fact name="Points per $ supplied">
          <Num value={run.basePointsDeposit} unit="factor" />
        </Fact>
        <Fact name="Points per $ borrowed">
          <Num value={run.basePointsBorrow} unit="factor" />
        </Fact>
      </Facts>
      <h2>Sources</h2>
      {run.sources.length === 0 ? (
        <Empty>The run fetched nothing: a resync reads the stored positions.</Empty>
      ) : (
        <Table
          caption="Sources"
          columns={sourceColumns}
          rows={run.sources}
          rowKey={({ kind, name }) => `${kind} ${name}`}
        />
      )}
      <h2>Multipliers</h2>
      {run.multipliers ? (
        <details className="fold">
          <summary>All {run.multipliers.totalCount} that the run used</summary>
          <RevisionsTable caption="Multipliers" revisions={run.multipliers.nodes} />
          <Pager label="multipliers" totalCount={run.multipliers.totalCount} rows={ROWS} />
        </details>
      ) : (
        <Empty>The run did not get as far as its multipliers.</Empty>
      )}
    </>
  )
}

interface Change {
  name: string
  unit: 'points' | 'count'
  before: number
  after: number
}

const changes: Column<Change>[] = [
  { name: 'Total', heads: true, cell: ({ name }) => name },
  { name: 'Before', numeric: true, cell: ({ before, unit }) => <Num value={before} unit={unit} /> },
  { name: 'After', numeric: true, cell: ({ after, unit }) => <Num value={after} unit={unit} /> },
  {
    name: 'Change',
    numeric: true,
    cell: ({ before, after, unit }) => <Num value={after - before} unit={unit} change="gain" />,
  },
]

interface ChangesProps {
  /** A run, or the preview of one. */
  run: Pick<RunOfQuery, 'totalsBefore' | 'totalsAfter'>
  title?: string
}

/** The totals of the date before a run and after it. */
export function Changes({ run, title = 'What changed' }: ChangesProps) {
  const { totalsBefore: before, totalsAfter: after } = run
  if (!before || !after) return null
  const rows: Change[] = [
    { name: 'Points', unit: 'points', before: before.points, after: after.points },
    { name: 'Wallets', unit: 'count', before: before.userCount, after: after.userCount },
    { name: 'Positions', unit: 'count', before: before.positionCount, after: after.positionCount },
  ]
  return (
    <>
      <h2>{title}</h2>
      <Table caption={title} columns={changes} rows={rows} rowKey={({ name }) => name} />
    </>
  )
}
