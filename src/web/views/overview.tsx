import {
  type DistributionDatesFragment,
  LeaderboardDocument,
  type LeaderboardRowFragment,
  MoversDocument,
  type PoolCardFragment,
  PoolsDocument,
  PoolTrendsDocument,
  ProgramChartDocument,
  RecentActivityDocument,
  SeasonsDocument,
  StatusDocument,
  type StatusQuery,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { usePast } from '../as-of.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Newest } from '../newest.tsx'
import { Page, Section } from '../page-frame.tsx'
import { SearchBox } from '../search-box.tsx'
import { seasonEnd } from '../season-words.ts'
import { spanOf } from '../span.tsx'
import { Sparkline } from '../sparkline.tsx'
import { MyStanding } from '../standing.tsx'
import { type Column, Table } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { DistributionLink, Num, PoolLink, RankChange, WalletLink } from '../values.tsx'
import { isSample } from './status.tsx'

const DAYS = 90
const WALLETS = 10
const POOLS = 10
const MOVERS = 10
const ACTIVITIES = 7

/** The first page: what the program is, how it is doing, and the search for a wallet. */
export function Overview() {
  const { asOf } = usePast()
  const variables = { first: WALLETS, ...(asOf && { scope: { asOf }, asOf, upTo: asOf }) }
  const board = useGraph(LeaderboardDocument, variables)
  return (
    <Page title="Overview" heading="Every position, and the points it earns" hero={<Hero />}>
      <MyStanding />
      <Answer of={board} rows={16}>
        {({ program, leaderboard, ...dates }) =>
          leaderboard.nodes.length === 0 ? (
            <NothingStored of="positions" />
          ) : (
            <>
              <Program totalPoints={program.totalPoints} dates={dates} />
              <div className="columns">
                <Section
                  id="board"
                  title="Leaderboard"
                  operation={{ query: LeaderboardDocument, variables }}
                  {...(!asOf && { rest: '/points/leaderboard' })}
                  more={
                    <Link href="/leaderboard">
                      All {leaderboard.totalCount.toLocaleString('en-US')} wallets
                    </Link>
                  }
                >
                  <Table
                    caption="Leaderboard"
                    columns={asOf ? boardColumns.slice(0, 3) : boardColumns}
                    rows={leaderboard.nodes}
                    rowKey={({ user }) => user.address}
                  />
                </Section>
                <Pools dates={dates} />
              </div>
              <div className="columns">
                <Movers />
                <Activity />
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
    <p>
      What wallets supply, borrow and earn across the protocol, and where each of their points comes
      from.
    </p>
    <SearchBox withButton />
  </>
)

const FIGURES = [
  ['TVL', 'tvlUsd', 'usd'],
  ['Borrowed', 'borrowedUsd', 'usd'],
  ['Points per day', 'points', 'points'],
  ['Active wallets', 'userCount', 'count'],
] as const

/** The program in four numbers, each with how it moved. */
function Program({
  totalPoints,
  dates,
}: {
  totalPoints: number
  dates: DistributionDatesFragment
}) {
  const { asOf } = usePast()
  const chart = useGraph(ProgramChartDocument, { ...spanOf(dates, DAYS, asOf) })
  const series = chart.data?.program.series ?? []
  const newest = dates.newest.nodes[0]?.date
  return (
    <>
      <Facts lead>
        {FIGURES.map(([name, key, unit]) => (
          <Fact key={name} name={name}>
            <Num value={series.at(-1)?.[key]} unit={unit} />
            <Sparkline values={series.map((bucket) => bucket[key])} />
          </Fact>
        ))}
      </Facts>
      <p className="lede">
        <Num value={totalPoints} unit="points" /> points so far. {!asOf && <Season />}
        {asOf && series.length > 1 && `The lines show ${series.length} days.`}
        {newest && !asOf && (
          <>
            Newest distribution: <DistributionLink date={newest} />, <Freshness />.
            {series.length > 1 && ` The lines show the last ${series.length} days.`}
          </>
        )}
      </p>
    </>
  )
}

/** The season of today. Nothing outside of seasons. */
function Season() {
  const season = useGraph(SeasonsDocument, {}).data?.program.season
  if (!season) return null
  return (
    <>
      <Link href={`/leaderboard?season=${encodeURIComponent(season.name)}`}>{season.name}</Link>{' '}
      {seasonEnd(season)}.{' '}
    </>
  )
}

/** Says that data is late, or that it is a sample. The status page has the details. */
function Freshness() {
  const status = useGraph(StatusDocument, {}).data?.status
  return <Link href="/status">{status ? freshnessOf(status) : 'status'}</Link>
}

function freshnessOf(status: NonNullable<StatusQuery['status']>): string {
  if (isSample(status)) return 'sample data'
  const isLate = status.distributionLate || status.chains.some(({ late }) => late)
  return isLate ? 'some data is late' : 'on time'
}

/** The wallets whose rank changed most, of so many with the most points. */
const MOVERS_OF = 100

function Movers() {
  const variables = { first: MOVERS_OF }
  const best = useGraph(MoversDocument, variables)
  return (
    <Section ofNow id="movers" title="Movers" operation={{ query: MoversDocument, variables }}>
      <Answer of={best} rows={MOVERS}>
        {({ leaderboard: { nodes } }) => {
          const moved = nodes
            .filter(({ user }) => user.change?.rank)
            .sort((one, other) => ranksOf(other) - ranksOf(one))
            .slice(0, MOVERS)
          return moved.length === 0 ? (
            <Empty>No rank of the first {MOVERS_OF} changed in 7 days.</Empty>
          ) : (
            <Table
              caption="Movers"
              columns={moverColumns}
              rows={moved}
              rowKey={({ user }) => user.address}
            />
          )
        }}
      </Answer>
    </Section>
  )
}

const ranksOf = ({ user }: LeaderboardRowFragment) => Math.abs(user.change?.rank ?? 0)

function Activity() {
  const { at } = usePast()
  const variables = { first: ACTIVITIES, ...(at && { where: { time: { lte: at } } }) }
  const newest = useGraph(RecentActivityDocument, variables)
  return (
    <Section
      id="newest"
      title="Newest activity"
      operation={{ query: RecentActivityDocument, variables }}
    >
      <Answer of={newest} rows={variables.first}>
        {({ activity }) => <Newest activity={activity.nodes} />}
      </Answer>
    </Section>
  )
}

const boardColumns: Column<LeaderboardRowFragment>[] = [
  { name: 'Rank', numeric: true, cell: ({ rank }) => <Num value={rank} unit="count" /> },
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
  {
    name: '7 days',
    numeric: true,
    cell: ({ user }) => <Num value={user.change?.points} unit="points" change="gain" />,
  },
  { name: 'Ranks', numeric: true, cell: ({ user }) => <RankChange ranks={user.change?.rank} /> },
]

const [rank, wallet, , change, ranks] = boardColumns
const moved = ranks && { ...ranks, name: 'Rank change' }
const moverColumns = [wallet, moved, rank, change].filter((column) => column !== undefined)

function Pools({ dates }: { dates: DistributionDatesFragment }) {
  const variables = { first: POOLS, orderBy: 'TVL_USD', orderDirection: 'DESC' } as const
  const pools = useGraph(PoolsDocument, variables)
  const trends = useGraph(PoolTrendsDocument, { first: POOLS, ...spanOf(dates, DAYS) })
  const lines = new Map(
    trends.data?.pools.nodes.map(({ id, series }) => [id, series.map(({ tvlUsd }) => tvlUsd)]),
  )
  const columns: Column<PoolCardFragment>[] = [
    {
      name: 'Pool',
      heads: true,
      cell: ({ address, displayName, assetA, assetB }) => (
        <PoolLink address={address} name={displayName} tokens={[assetA, assetB]} />
      ),
    },
    { name: 'TVL', numeric: true, cell: ({ tvlUsd }) => <Num value={tvlUsd} unit="usd" /> },
    {
      name: `${DAYS} days`,
      numeric: true,
      cell: ({ id }) => <Sparkline values={lines.get(id) ?? []} />,
    },
    {
      name: 'Utilization',
      numeric: true,
      cell: ({ utilization }) => <Num value={utilization} unit="percent" />,
    },
  ]
  return (
    <Section
      ofNow
      id="pools"
      title="Biggest pools"
      operation={{ query: PoolsDocument, variables }}
      rest="/pools/all"
      more={<Link href="/pools">All pools</Link>}
    >
      <Answer of={pools} rows={POOLS}>
        {({ pools: { nodes } }) =>
          nodes.length === 0 ? (
            <NothingStored of="pools" />
          ) : (
            <Table caption="Biggest pools" columns={columns} rows={nodes} rowKey={({ id }) => id} />
          )
        }
      </Answer>
    </Section>
  )
}
