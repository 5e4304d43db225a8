import {
  BasePointsDocument,
  type BasePointsQuery,
  RulesDocument,
  type RulesQuery,
} from 'lending-graph-client'
import { Answer, Empty } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Page } from '../page-frame.tsx'
import { RevisionsTable } from '../revisions-table.tsx'
import { type Column, Pager, Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, DistributionLink, Moment, Num } from '../values.tsx'

const ROWS = 30

type Revision = RulesQuery['multiplierRevisions']['nodes'][number]
type BaseRevision = BasePointsQuery['basePointsRevisions'][number]

/** The first date that a rule counts for, and whether it has come. */
function From({ from, revokedBy }: { from: string | null; revokedBy: string | null }) {
  if (from === null) return 'every date'
  const today = new Date().toISOString().slice(0, 10)
  return (
    <>
      <Day iso={from} />
      {revokedBy ? ` (revoked by ${revokedBy})` : from > today && ' (announced)'}
    </>
  )
}

/** The stored dates whose points a revision determines. */
function Affected({ affectedDates: { count, first, last } }: Revision) {
  if (first === null || last === null) return 'none'
  return (
    <>
      <Num value={count} unit="count" suffix={count === 1 ? 'date' : 'dates'} />
      {': '}
      <DistributionLink date={first} />
      {first !== last && (
        <>
          {' to '}
          <DistributionLink date={last} />
        </>
      )}
    </>
  )
}

const columns: Column<Revision>[] = [
  { name: 'Counts from', cell: From },
  { name: 'Dates affected', cell: Affected },
]

const baseColumns: Column<BaseRevision>[] = [
  { name: 'Counts from', heads: true, cell: From },
  {
    name: 'Of a dollar supplied',
    numeric: true,
    cell: ({ deposit }) => <Num value={deposit} unit="factor" />,
  },
  {
    name: 'Of a dollar borrowed',
    numeric: true,
    cell: ({ borrow }) => <Num value={borrow} unit="factor" />,
  },
  { name: 'Set by', cell: ({ changedBy }) => changedBy },
  { name: 'Set at', cell: ({ changedAt }) => <Moment iso={changedAt} /> },
]

/**
 * The rules of points over time: multipliers and base points, with the dates that they determine.
 */
export function Rules() {
  const variables = usePage(ROWS)
  const rules = useGraph(RulesDocument, variables)
  const base = useGraph(BasePointsDocument, {})
  return (
    <Page title="Rules" operation={{ query: RulesDocument, variables }}>
      <p className="lede">
        The points of a date follow the newest rules without a first date, or with one that is not
        after it.
      </p>
      <h2>Multipliers</h2>
      <Answer of={rules} rows={ROWS}>
        {({ multiplierRevisions: { nodes, totalCount } }) =>
          totalCount === 0 ? (
            <Empty>No multiplier was ever set.</Empty>
          ) : (
            <>
              <RevisionsTable caption="Multipliers over time" revisions={nodes} columns={columns} />
              <Pager label="multipliers" totalCount={totalCount} rows={ROWS} />
            </>
          )
        }
      </Answer>
      <h2>Base points</h2>
      <Answer of={base} rows={2}>
        {({ basePoints, basePointsRevisions }) => (
          <>
            <Facts>
              <Fact name="Of a dollar supplied today">
                <Num value={basePoints.deposit} unit="factor" />
              </Fact>
              <Fact name="Of a dollar borrowed today">
                <Num value={basePoints.borrow} unit="factor" />
              </Fact>
            </Facts>
            {basePointsRevisions.length > 0 && (
              <Table
                caption="Base points over time"
                columns={baseColumns}
                rows={basePointsRevisions}
                rowKey={({ recordId }) => recordId}
              />
            )}
          </>
        )}
      </Answer>
    </Page>
  )
}
