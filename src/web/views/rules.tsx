import {
  BasePointsDocument,
  type BasePointsQuery,
  BoostsDocument,
  type BoostsQuery,
  RulesDocument,
  type RulesQuery,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { times } from '../format.ts'
import { TokenSymbol } from '../name.tsx'
import { Page } from '../page-frame.tsx'
import { type PoolSide, sidesOf } from '../pool-sides.ts'
import { RevisionsTable } from '../revisions-table.tsx'
import { Factor } from '../side-choice.tsx'
import { type Column, Pager, Table, usePage } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, DistributionLink, Moment, Num, PoolLink } from '../values.tsx'

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

/** The rules of points: those of today in words and as a table, then all of them over time. */
export function Rules() {
  const base = useGraph(BasePointsDocument, {})
  const boosts = useGraph(BoostsDocument, {})
  return (
    <Page ofNow title="Rules" operation={{ query: BoostsDocument, variables: {} }}>
      <Answer of={base} rows={ROWS}>
        {({ basePoints }) => (
          <Answer of={boosts} rows={ROWS}>
            {({ pools }) => (
              <>
                <Sentences base={basePoints} sides={sidesOf(pools.nodes)} />
                <h2>Multipliers today</h2>
                <InForce pools={pools.nodes} />
              </>
            )}
          </Answer>
        )}
      </Answer>
      <History />
    </Page>
  )
}

interface SentencesProps {
  base: BasePointsQuery['basePoints']
  sides: PoolSide[]
}

/** The rules of today in people's words. */
function Sentences({ base, sides }: SentencesProps) {
  const raised = sides.filter(({ factor }) => (factor ?? 0) > 1)
  const most = Math.max(...raised.map(({ factor }) => factor ?? 0))
  const best = raised.filter(({ factor }) => factor === most)
  const [first] = best
  return (
    <ol className="rules">
      <li>
        Each day, $1 supplied to a pool earns <Num value={base.deposit} unit="count" />{' '}
        {base.deposit === 1 ? 'point' : 'points'} and $1 borrowed{' '}
        <Num value={base.borrow} unit="count" />, times the multiplier of its side.
      </li>
      <li>
        {first ? (
          <>
            A multiplier above 1 raises{' '}
            {raised.length === 1 ? 'one side' : `${raised.length} sides`} of pools. The highest is{' '}
            {times(most)}: {first.isBorrowed ? 'borrow' : 'deposit'}{' '}
            <TokenSymbol token={first.asset} /> in{' '}
            <PoolLink address={first.pool.address} name={first.pool.displayName} />
            {best.length > 1 && ` and ${best.length - 1} more`}. See all{' '}
            <Link href="/boosts">boosts</Link>.
          </>
        ) : (
          'No side of a pool has a multiplier above 1 today.'
        )}
      </li>
      <li>
        Protected supply earns only while the other token of its pool is borrowed
        {base.protectedMinLtv !== null && (
          <>
            , to at least <Num value={base.protectedMinLtv} unit="percent" /> of that supply
          </>
        )}
        . Vaults, and sides of pools without a multiplier, earn no points.
      </li>
    </ol>
  )
}

type BoostedPool = BoostsQuery['pools']['nodes'][number]

/** The multiplier of one side of each pool, for both of its tokens. */
const factorsOf = (name: string, side: 'deposit' | 'borrow'): Column<BoostedPool> => ({
  name,
  cell: ({ multiplier, assetA, assetB }) =>
    multiplier && (
      <span className="factors">
        <Factor factor={multiplier[`${side}A`]} /> <TokenSymbol token={assetA} />{' '}
        <Factor factor={multiplier[`${side}B`]} /> <TokenSymbol token={assetB} />
      </span>
    ),
})

const inForceColumns: Column<BoostedPool>[] = [
  {
    name: 'Pool',
    heads: true,
    cell: ({ address, displayName }) => <PoolLink address={address} name={displayName} />,
  },
  { name: 'Chain', cell: ({ chainId }) => chainName(chainId) },
  factorsOf('Deposit', 'deposit'),
  factorsOf('Borrow', 'borrow'),
]

const greatestOf = ({ multiplier }: BoostedPool) =>
  multiplier
    ? Math.max(
        ...(['depositA', 'depositB', 'borrowA', 'borrowB'] as const).map(
          (side) => multiplier[side],
        ),
      )
    : 0

/** The multipliers in force, largest first. */
function InForce({ pools }: { pools: readonly BoostedPool[] }) {
  const rows = pools
    .filter(({ multiplier }) => multiplier)
    .sort((one, other) => greatestOf(other) - greatestOf(one))
  return rows.length === 0 ? (
    <Empty>No pool has a multiplier, so no position earns points.</Empty>
  ) : (
    <Table
      caption="Multipliers today"
      columns={inForceColumns}
      rows={rows}
      rowKey={({ id }) => id}
    />
  )
}

/** Multipliers and base points over time, with the dates that they determine. */
function History() {
  const variables = usePage(ROWS)
  const rules = useGraph(RulesDocument, variables)
  const base = useGraph(BasePointsDocument, {})
  return (
    <details className="fold" open={variables.offset !== undefined}>
      <summary>History of the rules</summary>
      <p className="lede">A date uses the newest rule that starts on or before it.</p>
      <h2>Multipliers over time</h2>
      <Answer of={rules} rows={ROWS}>
        {({ multiplierRevisions: { nodes, totalCount } }) =>
          totalCount === 0 ? (
            <Empty>No multiplier was ever set.</Empty>
          ) : (
            <>
              <RevisionsTable
                caption="Multipliers over time"
                revisions={nodes}
                columns={columns}
                whole={{ name: 'multiplierRevisions' }}
              />
              <Pager label="multipliers" totalCount={totalCount} rows={ROWS} />
            </>
          )
        }
      </Answer>
      <h2>Base points over time</h2>
      <Answer of={base} rows={2}>
        {({ basePointsRevisions }) =>
          basePointsRevisions.length === 0 ? (
            <Empty>They were never changed: the settings of the gateway count.</Empty>
          ) : (
            <Table
              caption="Base points over time"
              columns={baseColumns}
              rows={basePointsRevisions}
              rowKey={({ recordId }) => recordId}
            />
          )
        }
      </Answer>
    </details>
  )
}
