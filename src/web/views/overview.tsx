import {
  DistributionDatesDocument,
  LeaderboardDocument,
  type LeaderboardRowFragment,
  type PoolCardFragment,
  PoolsDocument,
  PoolTrendsDocument,
  ProgramChartDocument,
  type ProgramChartQuery,
  StatusDocument,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, NothingStored } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Page } from '../page-frame.tsx'
import { SearchBox } from '../search-box.tsx'
import { Sparkline } from '../sparkline.tsx'
import { type Column, Table } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Num, PoolLink, RankChange, WalletLink } from '../values.tsx'

const DAYS = 90
const DAY_MS = 86_400_000
const WALLETS = 10
const POOLS = 8

type Bucket = ProgramChartQuery['program']['series'][number]

/** The first page: what the program is, how it is doing, and the search for a wallet. */
export function Overview() {
  const board = useGraph(LeaderboardDocument, { first: WALLETS })
  const dates = useGraph(DistributionDatesDocument, {})
  const newest = dates.data?.newest.nodes[0]?.date
  const oldest = dates.data?.oldest.nodes[0]?.date
  const from =
    newest && oldest && new Date(Math.max(Date.parse(oldest), Date.parse(newest) - (DAYS - 1) * DAY_MS)).toISOString()
  return (
    <Page title="Overview" heading="Every position, and the points it earns" hero={<Hero />}>
      <Answer of={board} rows={16}>
        {({ program, leaderboard }) =>
          leaderboard.nodes.length === 0 ? (
            <NothingStored of="positions" />
          ) : (
            <>
              <Program totalPoints={program.totalPoints} newest={newest} from={from} />
              <div className="columns">
                <section aria-labelledby="board">
                  <div className="section-head">
                    <h2 id="board">Leaderboard</h2>
                    <Link href="/leaderboard">All {leaderboard.totalCount.toLocaleString('en-US')} wallets</Link>
                  </div>
                  <Table
                    caption="Leaderboard"
                    columns={boardColumns}
                    rows={leaderboard.nodes}
                    rowKey={({ userAddress }) => userAddress}
                  />
                </section>
                <Pools from={from} />
              </div>
            </>
          )
        }
      </Answer>
    </Page>
  )
}

const Hero = () => (
  <>
    <p>What wallets supply, borrow and earn across the protocol, and where each of their points comes from.</p>
    <SearchBox withButton />
  </>
)

interface ProgramProps {
  totalPoints: number
  newest: string | undefined
  from: string | undefined
}

/** The program in four numbers, each with how it moved. */
function Program({ totalPoints, newest, from }: ProgramProps) {
  const chart = useGraph(ProgramChartDocument, { ...(from && { from }) }, { pause: !from })
  const series = chart.data?.program.series ?? []
  const last = series.at(-1)
  const of = (key: 'tvlUsd' | 'points' | 'userCount' | 'borrowedUsd') => series.map((bucket: Bucket) => bucket[key])
  return (
    <>
      <Facts lead>
        <Fact name="TVL">
          <Num value={last?.tvlUsd} unit="usd" />
          <Sparkline values={of('tvlUsd')} />
        </Fact>
        <Fact name="Borrowed">
          <Num value={last?.borrowedUsd} unit="usd" />
          <Sparkline values={of('borrowedUsd')} />
        </Fact>
        <Fact name="Points per day">
          <Num value={last?.points} unit="points" />
          <Sparkline values={of('points')} />
        </Fact>
        <Fact name="Active wallets">
          <Num value={last?.userCount} unit="count" />
          <Sparkline values={of('userCount')} />
        </Fact>
      </Facts>
      <p className="lede">
        <Num value={totalPoints} unit="points" /> points so far.{' '}
        {newest && (
          <>
            Newest distribution: <DistributionLink date={newest} />, <Freshness />. The lines show the last{' '}
            {series.length} days.
          </>
        )}
      </p>
    </>
  )
}

/** Whether all data is as new as it should be. The status page has the details. */
function Freshness() {
  const { data } = useGraph(StatusDocument, {})
  if (!data) return <Link href="/status">status</Link>
  const { distributionLate, chains } = data.status
  const isLate = distributionLate || chains.some(({ late }) => late)
  return <Link href="/status">{isLate ? 'some data is late' : 'on time'}</Link>
}

const boardColumns: Column<LeaderboardRowFragment>[] = [
  { name: 'Rank', numeric: true, cell: ({ rank }) => <Num value={rank} unit="count" /> },
  { name: 'Wallet', heads: true, cell: ({ userAddress }) => <WalletLink address={userAddress} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
  {
    name: '7 days',
    numeric: true,
    cell: ({ user }) => <Num value={user.change?.points} unit="points" isChange />,
  },
  { name: 'Ranks', numeric: true, cell: ({ user }) => <RankChange ranks={user.change?.rank} /> },
]

function Pools({ from }: { from: string | undefined }) {
  const pools = useGraph(PoolsDocument, { first: POOLS, orderBy: 'TVL_USD_DESC' })
  const trends = useGraph(PoolTrendsDocument, { first: POOLS, ...(from && { from }) }, { pause: !from })
  const lines = new Map(trends.data?.pools.nodes.map(({ id, series }) => [id, series.map(({ tvlUsd }) => tvlUsd)]))
  const columns: Column<PoolCardFragment>[] = [
    {
      name: 'Pool',
      heads: true,
      cell: ({ address, displayName, assetA, assetB }) => (
        <PoolLink address={address} name={displayName} tokens={[assetA, assetB]} />
      ),
    },
    { name: 'TVL', numeric: true, cell: ({ tvlUsd }) => <Num value={tvlUsd} unit="usd" /> },
    { name: `${DAYS} days`, numeric: true, cell: ({ id }) => <Sparkline values={lines.get(id) ?? []} /> },
    { name: 'Utilization', numeric: true, cell: ({ utilization }) => <Num value={utilization} unit="percent" /> },
  ]
  return (
    <section aria-labelledby="pools">
      <div className="section-head">
        <h2 id="pools">Biggest pools</h2>
        <Link href="/pools">All pools</Link>
      </div>
      <Answer of={pools} rows={POOLS}>
        {({ pools: { nodes } }) =>
          nodes.length === 0 ? (
            <NothingStored of="pools" />
          ) : (
            <Table caption="Biggest pools" columns={columns} rows={nodes} rowKey={({ id }) => id} />
          )
        }
      </Answer>
    </section>
  )
}
