import {
  type MarketEarningFragment,
  PoolChartDocument,
  PoolDocument,
  PoolTopUsersDocument,
  type PoolTopUsersQuery,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { PoolAtRisk } from '../at-risk-table.tsx'
import { Chart } from '../chart.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { TokenIcons } from '../identity.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page } from '../page-frame.tsx'
import { PoolFactors } from '../positions-table.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, Table } from '../table.tsx'
import { useGraph } from '../use-graph.ts'
import { Day, Num, WalletLink } from '../values.tsx'

type TopUser = NonNullable<PoolTopUsersQuery['pool']>['currentPositions']['nodes'][number]

/** A pool: its amounts, both sides, and its users with the most points. */
export function Pool({ address }: { address: string }) {
  const isValid = isAddress(address)
  const answer = useGraph(PoolDocument, { address }, { pause: !isValid })
  const pool = answer.data?.pool
  return (
    <Page
      title={pool?.displayName ?? 'Pool'}
      icon={pool && <TokenIcons tokens={[pool.assetA, pool.assetB]} size={36} />}
      operation={{ query: PoolDocument, variables: { address } }}
    >
      {!isValid && <NotAnAddress text={address} />}
      {isValid && (
        <Answer of={answer} rows={4}>
          {({ pool }) =>
            pool ? (
              <>
                <AddressLinks chainId={pool.chainId} address={pool.address} />
                <Facts>
                  <Fact name="TVL">
                    <Num value={pool.tvlUsd} unit="usd" />
                  </Fact>
                  <Fact name="Borrowed">
                    <Num value={pool.borrowedUsd} unit="usd" />
                  </Fact>
                  <Fact name="Liquidity">
                    <Num value={pool.liquidityUsd} unit="usd" />
                  </Fact>
                  <Fact name="Utilization">
                    <Num value={pool.utilization} unit="percent" />
                  </Fact>
                  <Fact name="Points">
                    <Num value={pool.totalPoints} unit="points" />
                  </Fact>
                  <Fact name="Multipliers">
                    <PoolFactors multiplier={pool.multiplier} symbols={[pool.assetA.symbol, pool.assetB.symbol]} />
                  </Fact>
                </Facts>
                <Sides sides={[pool.marketA, pool.marketB]} />
                <Charts address={address} />
                <PoolAtRisk address={address} />
                <TopUsers address={address} />
              </>
            ) : (
              <Empty>The store has no pool at this address. Search finds pools by name.</Empty>
            )
          }
        </Answer>
      )}
    </Page>
  )
}

const sideColumns: Column<MarketEarningFragment>[] = [
  { name: 'Market', heads: true, cell: ({ asset, address }) => <span title={address}>{asset.symbol}</span> },
  { name: 'Deposit APR', numeric: true, cell: ({ depositApr }) => <Num value={depositApr} unit="percent" /> },
  { name: 'Borrow APR', numeric: true, cell: ({ borrowApr }) => <Num value={borrowApr} unit="percent" /> },
  {
    name: 'Points a day for $1 supplied',
    numeric: true,
    cell: ({ depositPointsPerDollar }) => <Num value={depositPointsPerDollar} unit="points" />,
  },
  {
    name: 'Points a day for $1 borrowed',
    numeric: true,
    cell: ({ borrowPointsPerDollar }) => <Num value={borrowPointsPerDollar} unit="points" />,
  },
]

const Sides = ({ sides }: { sides: (MarketEarningFragment | null)[] }) => (
  <Table
    caption="Rates of both sides"
    columns={sideColumns}
    rows={sides.filter((side) => side !== null)}
    rowKey={({ id }) => id}
  />
)

function Charts({ address }: { address: string }) {
  const span = useSpan()
  const answer = useGraph(PoolChartDocument, { address, ...span }, { pause: !span })
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">History</h2>
      <RangeChoice />
      <div className="charts">
        <Answer of={answer} charts={4}>
          {({ pool }) => {
            if (!pool) return null
            const times = pool.series.map(({ start }) => start)
            const of = (key: 'points' | 'tvlUsd' | 'borrowedUsd') => pool.series.map((bucket) => bucket[key])
            const markets = [pool.marketA, pool.marketB].filter((market) => market !== null)
            return (
              <>
                <Chart
                  title="TVL and debt"
                  unit="usd"
                  times={times}
                  series={[
                    { label: 'TVL', values: of('tvlUsd') },
                    { label: 'Debt', values: of('borrowedUsd') },
                  ]}
                />
                <Chart
                  title="Points"
                  unit="points"
                  times={times}
                  series={[{ label: 'Points', values: of('points') }]}
                />
                {markets.map(({ id, asset, aprSeries }) => (
                  <Chart
                    key={id}
                    title={`Rates of ${asset.symbol}`}
                    unit="percent"
                    times={aprSeries.map(({ start }) => start)}
                    series={[
                      { label: 'Deposit APR', values: aprSeries.map(({ depositApr }) => depositApr) },
                      { label: 'Borrow APR', values: aprSeries.map(({ borrowApr }) => borrowApr) },
                    ]}
                  />
                ))}
              </>
            )
          }}
        </Answer>
      </div>
    </section>
  )
}

const topColumns: Column<TopUser>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  { name: 'Points on the date', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
  { name: 'Rank over all pools', numeric: true, cell: ({ user }) => <Num value={user.rank} unit="count" /> },
]

function TopUsers({ address }: { address: string }) {
  const answer = useGraph(PoolTopUsersDocument, { address, first: 10 })
  return (
    <section aria-labelledby="top">
      <h2 id="top">Top wallets</h2>
      <p>
        <Link href={`/leaderboard?pool=${address}`}>The leaderboard of this pool, over all dates</Link>
      </p>
      <Answer of={answer} rows={10}>
        {({ pool }) => {
          const [first] = pool?.currentPositions.nodes ?? []
          if (!pool || !first) return <Empty>The pool has no position on the newest date.</Empty>
          return (
            <>
              <p>
                On <Day iso={first.date} />
              </p>
              <Table
                caption="Top wallets of the pool"
                columns={topColumns}
                rows={pool.currentPositions.nodes}
                rowKey={({ id }) => id}
              />
            </>
          )
        }}
      </Answer>
    </section>
  )
}
