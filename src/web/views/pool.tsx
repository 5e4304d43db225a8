import {
  type HolderRowFragment,
  MarketHoldersDocument,
  type MarketSideFragment,
  type PoolCardFragment,
  PoolChartDocument,
  PoolDocument,
  PoolOnDateDocument,
  type PoolOnDateQuery,
  type PoolQuery,
  PoolTopUsersDocument,
  type PoolTopUsersQuery,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { usePast } from '../as-of.tsx'
import { Chart } from '../chart.tsx'
import type { Operation } from '../copy-menu.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { TokenIcons } from '../identity.tsx'
import { useMarks } from '../marks.ts'
import { PoolFactors, useAnnounced } from '../multiplier-chips.tsx'
import { TokenSymbol } from '../name.tsx'
import { cut } from '../names.ts'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import { poolPath } from '../paths.ts'
import { PoolAtRisk } from '../pool-at-risk.tsx'
import { RateCurve, utilizationOf } from '../rate-curve.tsx'
import { Share } from '../share.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { type Column, Table } from '../table.tsx'
import { TokenName } from '../tokens.tsx'
import { type GraphAnswer, useGraph } from '../use-graph.ts'
import { Day, Num, WalletLink } from '../values.tsx'

type TopUser = NonNullable<PoolTopUsersQuery['pool']>['currentPositions']['nodes'][number]

/** The variables of a pool on the date that is shown. Undefined for the newest. */
function usePoolDate(address: string) {
  const { asOf } = usePast()
  return asOf ? { address, asOf, time: asOf } : undefined
}

/** The pool, with its numbers of the date that is shown. */
function usePool(address: string, isValid: boolean): GraphAnswer<PoolQuery> {
  const now = useGraph(PoolDocument, { address }, { pause: !isValid })
  const onDate = usePoolDate(address)
  const variables = onDate ?? { address, asOf: '', time: '' }
  const then = useGraph(PoolOnDateDocument, variables, { pause: !isValid || !onDate })
  if (!onDate || !now.data?.pool) return now
  if (!then.data) return then as GraphAnswer<never>
  return { ...now, data: { pool: asItWas(now.data.pool, then.data.pool) } }
}

type PoolNow = NonNullable<PoolQuery['pool']>

const UNKNOWN_SIDE = {
  suppliedUsd: null,
  protectedUsd: null,
  borrowedUsd: null,
  utilization: null,
  depositPointsPerDollar: null,
  borrowPointsPerDollar: null,
}

/** A pool with its amounts, rates and points of a past date. */
function asItWas(now: PoolNow, then: PoolOnDateQuery['pool']): PoolNow {
  const totals = then?.totals
  const side = (key: 'A' | 'B') => {
    const [market, past] = [now[`market${key}`], then?.[`market${key}`]]
    const { depositApr = null, borrowApr = null } = past?.aprSeries.at(-1) ?? {}
    return (
      market && {
        ...market,
        ...UNKNOWN_SIDE,
        ...totals?.[`side${key}`],
        ...past,
        depositApr,
        borrowApr,
      }
    )
  }
  return {
    ...now,
    tvlUsd: 0,
    borrowedUsd: 0,
    liquidityUsd: 0,
    utilization: null,
    totalPoints: 0,
    ...totals,
    multiplier: totals?.multiplier ? { updatedAt: '', ...totals.multiplier } : null,
    marketA: side('A'),
    marketB: side('B'),
  } as PoolNow
}

/** A pool: its amounts, both sides, and its users with the most points. */
export function Pool({ address }: { address: string }) {
  const isValid = isAddress(address)
  const answer = usePool(address, isValid)
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
                <AddressLinks chainId={pool.chainId} address={pool.address}>
                  <Share kind="pools" path={poolPath(pool.address)} address={pool.address} />
                </AddressLinks>
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
          <Top address={address} />
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

/** Those with the most points in the pool on the date that is shown. */
function Top({ address }: { address: string }) {
  const onDate = usePoolDate(address)
  return onDate ? <PastTop address={address} variables={onDate} /> : <TopNow address={address} />
}

function TopNow({ address }: { address: string }) {
  const variables = { address, first: 10 }
  const answer = useGraph(PoolTopUsersDocument, variables)
  const nodes = answer.data?.pool?.currentPositions.nodes
  const operation = { query: PoolTopUsersDocument, variables }
  return <TopUsers address={address} operation={operation} answer={answer} nodes={nodes} />
}

interface PastTopProps {
  address: string
  variables: { address: string; asOf: string; time: string }
}

function PastTop({ address, variables }: PastTopProps) {
  const answer = useGraph(PoolOnDateDocument, variables)
  const nodes = answer.data?.pool?.positions.nodes
  const operation = { query: PoolOnDateDocument, variables }
  return <TopUsers address={address} operation={operation} answer={answer} nodes={nodes} />
}

interface TopUsersProps {
  address: string
  operation: Operation
  answer: GraphAnswer<unknown>
  nodes: readonly TopUser[] | undefined
}

function TopUsers({ address, operation, answer, nodes }: TopUsersProps) {
  return (
    <Section
      id="top"
      title="Top wallets"
      operation={operation}
      more={<Link href={`/leaderboard?pool=${address}`}>Leaderboard of this pool</Link>}
    >
      <Answer of={answer} rows={10}>
        {() => {
          const [first] = nodes ?? []
          if (!nodes || !first) return <Empty>The pool has no position on this date.</Empty>
          return (
            <>
              <p className="lede">
                On <Day iso={first.date} />
              </p>
              <Table
                caption="Top wallets of the pool"
                columns={topColumns}
                rows={nodes}
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
  const { asOf } = usePast()
  const variables = { chainId, address, first: SUPPLIERS, ...(asOf && { asOf }) }
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
