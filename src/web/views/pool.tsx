import {
  type HolderRowFragment,
  MarketHoldersDocument,
  type MarketSideFragment,
  type PoolCardFragment,
  PoolChartDocument,
  PoolDocument,
  PoolTopUsersDocument,
  type PoolTopUsersQuery,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { Chart } from '../chart.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { TokenIcons } from '../identity.tsx'
import { useMarks } from '../marks.ts'
import { PoolFactors, useAnnounced } from '../multiplier-chips.tsx'
import { TokenSymbol } from '../name.tsx'
import { cut } from '../names.ts'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import { PoolAtRisk } from '../pool-at-risk.tsx'
import { RateCurve, utilizationOf } from '../rate-curve.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, Table } from '../table.tsx'
import { TokenName } from '../tokens.tsx'
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
                <Facts lead>
                  <Fact name="TVL">
                    <Num value={pool.tvlUsd} unit="usd" />
                  </Fact>
                  <Fact name="Borrowed">
                    <Num value={pool.borrowedUsd} unit="usd" />
                  </Fact>
                  <Fact name="Utilization">
                    <Num value={pool.utilization} unit="percent" />
                    <small>
                      <Num value={pool.liquidityUsd} unit="usd" /> to borrow
                    </small>
                  </Fact>
                  <Fact name="Points">
                    <Num value={pool.totalPoints} unit="points" />
                    <small>
                      <Multipliers pool={pool} />
                    </small>
                  </Fact>
                </Facts>
                <div className="columns">
                  {[pool.marketA, pool.marketB].map(
                    (side) => side && <Side key={side.id} side={side} />,
                  )}
                </div>
              </>
            ) : (
              <Empty>The store has no pool at this address. Search finds pools by name.</Empty>
            )
          }
        </Answer>
      )}
      {isValid && pool !== null && (
        // The content above decides its place.
        <div hidden={!pool}>
          <Charts address={address} />
          {pool && <PoolAtRisk address={address} tokens={[pool.assetA, pool.assetB]} />}
          <TopUsers address={address} />
          {pool && (
            <Suppliers markets={[pool.marketA, pool.marketB].filter((one) => one !== null)} />
          )}
        </div>
      )}
    </Page>
  )
}

const Multipliers = ({
  pool: { address, multiplier, assetA, assetB },
}: {
  pool: PoolCardFragment
}) => (
  <PoolFactors
    multiplier={multiplier}
    symbols={[assetA.symbol, assetB.symbol]}
    announced={useAnnounced([address]).get(address)}
  />
)

const SIDE_FACTS = [
  ['Supplied', 'suppliedUsd', 'usd'],
  ['Protected', 'protectedUsd', 'usd'],
  ['Borrowed', 'borrowedUsd', 'usd'],
  ['Utilization', 'utilization', 'percent'],
  ['Deposit APR', 'depositApr', 'percent'],
  ['Borrow APR', 'borrowApr', 'percent'],
  ['Maximum LTV', 'maxLtv', 'percent'],
  ['Liquidation LTV', 'liquidationThreshold', 'percent'],
  ['Points per day, $1 supplied', 'depositPointsPerDollar', 'factor'],
  ['Points per day, $1 borrowed', 'borrowPointsPerDollar', 'factor'],
] as const

/** One side of a pool: what is supplied and borrowed of its token, and at which rates. */
const Side = ({ side }: { side: MarketSideFragment }) => (
  <section aria-labelledby={side.id}>
    <h2 id={side.id} className="named" title={side.address}>
      <TokenIcons tokens={[side.asset]} size={24} /> <TokenSymbol token={side.asset} />{' '}
      <TokenName token={side.asset} />
    </h2>
    <Facts compact>
      {SIDE_FACTS.map(([name, key, unit]) => (
        <Fact key={key} name={name}>
          <Num value={side[key]} unit={unit} />
        </Fact>
      ))}
    </Facts>
  </section>
)

function Charts({ address }: { address: string }) {
  const span = useSpan()
  const variables = { address, ...span }
  const answer = useGraph(PoolChartDocument, variables, { pause: !span })
  const marks = useMarks([address])
  return (
    <Section
      id="charts"
      title="History"
      operation={{ query: PoolChartDocument, variables }}
      more={<RangeChoice />}
    >
      <div className="charts">
        <Answer of={answer} charts={8}>
          {({ pool }) => {
            if (!pool) return null
            const times = pool.series.map(({ start }) => start)
            const of = (key: 'points' | 'tvlUsd' | 'borrowedUsd') =>
              pool.series.map((bucket) => bucket[key])
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
                  title="Points per day"
                  unit="points"
                  times={times}
                  series={[{ label: 'Points per day', values: of('points') }]}
                  marks={marks}
                />
                {markets.map(({ id, asset, series }) => (
                  <Chart
                    key={`${id} utilization`}
                    title={`Utilization of ${asset.symbol}`}
                    unit="percent"
                    times={series.map(({ start }) => start)}
                    series={[{ label: 'Utilization', values: series.map(utilizationOf) }]}
                  />
                ))}
                {markets.map((market) => (
                  <RateCurve key={`${market.id} curve`} market={market} />
                ))}
                {markets.map(({ id, asset, aprSeries }) => (
                  <Chart
                    key={id}
                    title={`Rates of ${asset.symbol}`}
                    unit="percent"
                    times={aprSeries.map(({ start }) => start)}
                    series={[
                      {
                        label: 'Deposit APR',
                        values: aprSeries.map(({ depositApr }) => depositApr),
                      },
                      { label: 'Borrow APR', values: aprSeries.map(({ borrowApr }) => borrowApr) },
                    ]}
                  />
                ))}
              </>
            )
          }}
        </Answer>
      </div>
    </Section>
  )
}

const topColumns: Column<TopUser>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Points per day',
    numeric: true,
    cell: ({ points }) => <Num value={points} unit="points" />,
  },
  {
    name: 'Rank over all pools',
    numeric: true,
    cell: ({ user }) => <Num value={user.rank} unit="count" />,
  },
]

function TopUsers({ address }: { address: string }) {
  const variables = { address, first: 10 }
  const answer = useGraph(PoolTopUsersDocument, variables)
  return (
    <Section
      id="top"
      title="Top wallets"
      operation={{ query: PoolTopUsersDocument, variables }}
      more={<Link href={`/leaderboard?pool=${address}`}>Leaderboard of this pool</Link>}
    >
      <Answer of={answer} rows={10}>
        {({ pool }) => {
          const [first] = pool?.currentPositions.nodes ?? []
          if (!pool || !first) return <Empty>The pool has no position on the newest date.</Empty>
          return (
            <>
              <p className="lede">
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
    </Section>
  )
}

/** The holders that a side of a pool lists. */
const SUPPLIERS = 5

const supplierColumns: Column<HolderRowFragment>[] = [
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  {
    name: 'Supplied',
    numeric: true,
    cell: ({ supplied, protected: held }) => (
      <Num value={sumOf(supplied.usd, held?.usd ?? 0)} unit="usd" />
    ),
  },
  { name: 'Share', numeric: true, cell: ({ share }) => <Num value={share} unit="percent" /> },
]

/** A sum. Unknown if one of its parts is. */
const sumOf = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one + other

/** Who supplied most of each token. */
const Suppliers = ({ markets }: { markets: readonly MarketSideFragment[] }) => (
  <div className="columns">
    {markets.map((market) => (
      <SuppliersOf key={market.id} market={market} />
    ))}
  </div>
)

function SuppliersOf({ market: { id, chainId, address, asset } }: { market: MarketSideFragment }) {
  const variables = { chainId, address, first: SUPPLIERS }
  const answer = useGraph(MarketHoldersDocument, variables)
  const title = `Top suppliers of ${cut(asset.symbol)}`
  return (
    <Section
      id={`suppliers-${id}`}
      title={title}
      operation={{ query: MarketHoldersDocument, variables }}
    >
      <Answer of={answer} rows={SUPPLIERS}>
        {({ market }) =>
          market && market.holders.totalCount > 0 ? (
            <Table
              caption={title}
              columns={supplierColumns}
              rows={market.holders.nodes}
              rowKey={({ user }) => user.id}
            />
          ) : (
            <Empty>No snapshot of this token is stored.</Empty>
          )
        }
      </Answer>
    </Section>
  )
}
