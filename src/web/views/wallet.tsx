import {
  ActivityDocument,
  type ActivityKind,
  type ActivityRowFragment,
  DistributionsDocument,
  EarningsChartDocument,
  EarningsDocument,
  type EarningsRowFragment,
  LatestSnapshotsDocument,
  MarketLiquidationRewardsDocument,
  PositionOriginsDocument,
  type PositionOriginsQuery,
  RankChartDocument,
  UserDocument,
  type UserSummaryFragment,
  VaultLiquidationRewardsDocument,
} from 'lending-graph-client'
import { Link } from 'wouter'
import { Answer, Empty } from '../answer.tsx'
import { Chart, IntervalChoice, useInterval } from '../chart.tsx'
import { EntityLink } from '../entity-link.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { differenceNote, gapNote } from '../gaps.ts'
import { HoldingsTable } from '../holdings-table.tsx'
import { knownNumbers } from '../known-numbers.ts'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page } from '../page-frame.tsx'
import { PositionsTable } from '../positions-table.tsx'
import { type Column, PagedTable, Pager } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { type GraphAnswer, useGraph } from '../use-graph.ts'
import { DistributionLink, Moment, Num, RankChange, Unknown } from '../values.tsx'
import { type Reward, rewardColumns } from './reward-columns.tsx'

const ROWS = 20

/** A wallet: points and rank, worth, earnings, positions, activity and rewards. */
export function Wallet({ address }: { address: string }) {
  if (!isAddress(address))
    return (
      <Page title="Wallet">
        <NotAnAddress text={address} />
      </Page>
    )
  return <KnownWallet address={address.toLowerCase()} />
}

function KnownWallet({ address }: { address: string }) {
  const after = useUrlState().get('positions')
  const user = useGraph(UserDocument, { address })
  const newest = useGraph(DistributionsDocument, { first: 1 })
  const last = user.data?.user.lastDistributionDate
  const date = newest.data?.distributions.nodes[0]?.date
  const isOpen = last !== undefined && last === date
  const where = { user: address, date: { eq: date ?? '' } }
  const positions = useGraph(
    PositionOriginsDocument,
    { where, first: ROWS, ...(after && { after }) },
    { pause: !isOpen },
  )
  const isHeadShown =
    user.error || newest.error || (user.data && newest.data && (!isOpen || positions.data || positions.error))
  const heading = <span className="hex">{address}</span>
  return (
    <Page title={`Wallet ${address}`} heading={heading} operation={{ query: UserDocument, variables: { address } }}>
      <p>
        <Link href={`/compare?a=${address}`}>Compare with another wallet</Link>
        {' · '}
        <Link href={`/?account=${address}`}>Show on the leaderboard</Link>
      </p>
      <Answer of={user} rows={4}>
        {({ user }) => (
          <>
            {isUnknown(user) && <Empty>The store has no position and no snapshot of this wallet.</Empty>}
            <Summary user={user} />
            <WorthNote user={user} />
            <Holdings address={address} />
            <Positions last={user.lastDistributionDate} positions={isOpen ? positions : undefined} />
          </>
        )}
      </Answer>
      {/* The content above decides its place. */}
      <div hidden={!isHeadShown}>
        <Charts address={address} />
        <Earnings address={address} />
        <ActivityList address={address} />
        <Rewards address={address} />
      </div>
    </Page>
  )
}

const isUnknown = ({ positionCount, worth, earnings }: UserSummaryFragment) =>
  positionCount === 0 && worth === null && earnings.totalNetCashInvestedUsd === 0

function Summary({ user }: { user: UserSummaryFragment }) {
  const { change, worth } = user
  const { earningsUsd, earnNetApr, borrowNetApr } = knownNumbers(user)
  return (
    <Facts>
      <Fact name="Points">
        <Num value={user.points} unit="points" />
        {change && (
          <small>
            <Num value={change.points} unit="points" isChange /> in 7 days
          </small>
        )}
      </Fact>
      <Fact name="Rank">
        {user.rank === null ? 'unranked' : <Num value={user.rank} unit="count" />}
        {change && (
          <small>
            <RankChange ranks={change.rank} /> in 7 days
          </small>
        )}
      </Fact>
      <Fact name="Net worth">
        <Num value={worth?.netUsd} unit="usd" />
        {change?.worth && (
          <small>
            <Num value={change.worth.netUsd} unit="usd" isChange /> in 7 days
          </small>
        )}
      </Fact>
      <Fact name="Supplied">
        <Num value={worth?.suppliedUsd} unit="usd" />
      </Fact>
      <Fact name="Protected">
        <Num value={worth?.protectedUsd} unit="usd" />
      </Fact>
      <Fact name="In vaults">
        <Num value={worth?.vaultsUsd} unit="usd" />
      </Fact>
      <Fact name="Borrowed">
        <Num value={worth?.borrowedUsd} unit="usd" />
      </Fact>
      <Fact name="Earnings">
        <Num value={earningsUsd} unit="usd" />
        {worth && user.earnings.hasIncompletePrices && <small>some prices are missing</small>}
      </Fact>
      <Fact name="Net APR, deposits">
        <Num value={earnNetApr} unit="percent" />
      </Fact>
      <Fact name="Net APR, debt">
        <Num value={borrowNetApr} unit="percent" />
      </Fact>
      <Fact name="Points since">
        {user.firstDistributionDate ? <DistributionLink date={user.firstDistributionDate} /> : <Unknown />}
      </Fact>
    </Facts>
  )
}

/** How the amounts above add up, and of when they are. */
function WorthNote({ user: { worth } }: { user: UserSummaryFragment }) {
  if (!worth) return null
  return (
    <p>
      Net worth is supplied + protected + in vaults − borrowed, by the newest snapshots (<Moment iso={worth.time} />
      ).
      {worth.hasIncompletePrices && ' An amount without a price counts as $0.'}
    </p>
  )
}

function Holdings({ address }: { address: string }) {
  const holdings = useGraph(LatestSnapshotsDocument, { address })
  return (
    <section aria-labelledby="holdings">
      <h2 id="holdings">Holdings</h2>
      <Answer of={holdings} rows={4}>
        {({ user: { latestSnapshots } }) => <HoldingsTable snapshots={latestSnapshots} />}
      </Answer>
    </section>
  )
}

interface PositionsProps {
  /** The last date with a position. Null without any. */
  last: string | null
  /** Undefined if that is not the newest date. */
  positions: GraphAnswer<PositionOriginsQuery> | undefined
}

function Positions({ last, positions }: PositionsProps) {
  if (!last) return null
  return (
    <section aria-labelledby="positions">
      <h2 id="positions">Positions</h2>
      {positions ? (
        <>
          <p>
            On the newest distribution date, <DistributionLink date={last} />. Points lead to the run that computed
            them.
          </p>
          <Answer of={positions} rows={4}>
            {({ positions: { nodes, pageInfo } }) => (
              <>
                <PositionsTable caption="Positions" positions={nodes} />
                <Pager label="positions" pageInfo={pageInfo} parameter="positions" />
              </>
            )}
          </Answer>
        </>
      ) : (
        <Empty>
          No open positions: the last ones were on <DistributionLink date={last} />.
        </Empty>
      )}
    </section>
  )
}

function Charts({ address }: { address: string }) {
  const variables = { address, interval: useInterval() }
  const points = useGraph(RankChartDocument, variables)
  const earnings = useGraph(EarningsChartDocument, variables)
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">Through time</h2>
      <IntervalChoice />
      <div className="charts">
        <Answer of={points} charts={2}>
          {({ user: { series } }) => {
            const times = series.map(({ start }) => start)
            return (
              <>
                <Chart
                  title="Points"
                  unit="points"
                  times={times}
                  series={[{ label: 'Points', values: series.map((bucket) => bucket.points) }]}
                />
                <Chart
                  title="Rank"
                  unit="count"
                  times={times}
                  series={[{ label: 'Rank', values: series.map(({ rank }) => rank) }]}
                  isReversed
                />
              </>
            )
          }}
        </Answer>
        <Answer of={earnings} charts={2}>
          {({ user: { series } }) => {
            const times = series.map(({ start }) => start)
            const of = (term: 'netUsd' | 'suppliedUsd' | 'protectedUsd' | 'vaultsUsd' | 'borrowedUsd') =>
              series.map(({ worth }) => worth?.[term] ?? null)
            return (
              <>
                <Chart
                  title="Net worth"
                  unit="usd"
                  times={times}
                  series={[
                    { label: 'Net worth', values: of('netUsd') },
                    { label: 'Supplied', values: of('suppliedUsd') },
                    { label: 'Protected', values: of('protectedUsd') },
                    { label: 'In vaults', values: of('vaultsUsd') },
                    { label: 'Borrowed', values: of('borrowedUsd') },
                  ]}
                  note={gapNote(series, ({ worth }) => worth)}
                />
                <Chart
                  title="Earnings"
                  unit="usd"
                  times={times}
                  series={[{ label: 'Earnings', values: series.map(({ earningsUsd }) => earningsUsd) }]}
                  note={[gapNote(series, (bucket) => bucket.earningsUsd), differenceNote(series.at(-1))]
                    .join(' ')
                    .trim()}
                />
              </>
            )
          }}
        </Answer>
      </div>
    </section>
  )
}

const earningsColumns: Column<EarningsRowFragment>[] = [
  {
    name: 'Market or vault',
    heads: true,
    cell: ({ market, vault, entityAddress }) => <EntityLink market={market} vault={vault} address={entityAddress} />,
  },
  { name: 'Current value', numeric: true, cell: (row) => <Num value={row.currentValueUsd} unit="usd" /> },
  { name: 'Net invested', numeric: true, cell: (row) => <Num value={row.netCashInvestedUsd} unit="usd" /> },
  { name: 'Earnings', numeric: true, cell: (row) => <Num value={row.earningsUsd} unit="usd" /> },
]

function Earnings({ address }: { address: string }) {
  const after = useUrlState().get('earnings')
  const earnings = useGraph(EarningsDocument, { address, first: ROWS, ...(after && { after }) })
  return (
    <section aria-labelledby="earnings">
      <h2 id="earnings">Earnings by market and vault</h2>
      <Answer of={earnings} rows={4}>
        {({ user: { earnings } }) => (
          <PagedTable
            caption="Earnings by market and vault"
            columns={earningsColumns}
            list={earnings.breakdown}
            rowKey={({ chainId, entityType, entityAddress }) => `${chainId} ${entityType} ${entityAddress}`}
            parameter="earnings"
            empty="No holdings are stored."
          />
        )}
      </Answer>
    </section>
  )
}

const KINDS: Record<ActivityKind, string> = {
  DEPOSIT: 'Deposit',
  WITHDRAW: 'Withdrawal',
  BORROW: 'Borrowing',
  REPAY: 'Repayment',
  LIQUIDATION_REWARD: 'Liquidation reward',
}

const activityColumns: Column<ActivityRowFragment>[] = [
  { name: 'Time', heads: true, cell: ({ time }) => <Moment iso={time} /> },
  { name: 'What', cell: ({ kind }) => KINDS[kind] },
  {
    name: 'Amount',
    numeric: true,
    cell: ({ amount, assetSymbol }) => <Num value={amount} unit="amount" suffix={assetSymbol} />,
  },
  { name: 'Value', numeric: true, cell: ({ amountUsd }) => <Num value={amountUsd} unit="usd" /> },
  { name: 'Where', cell: ({ market, vault }) => <EntityLink market={market} vault={vault} /> },
]

function ActivityList({ address }: { address: string }) {
  const url = useUrlState()
  const kind = (Object.keys(KINDS) as ActivityKind[]).find((one) => one === url.get('kind'))
  const after = url.get('after')
  const where = kind && { kinds: [kind] }
  const activity = useGraph(ActivityDocument, {
    address,
    first: ROWS,
    ...(where && { where }),
    ...(after && { after }),
  })
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <label>
        Show
        <select value={kind ?? ''} onChange={({ target }) => url.set({ kind: target.value || undefined })}>
          <option value="">everything</option>
          {Object.entries(KINDS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Answer of={activity} rows={ROWS}>
        {({ user: { activity } }) => (
          <PagedTable
            caption="Activity"
            columns={activityColumns}
            list={activity}
            rowKey={({ txHash, logIndex, kind }) => `${txHash} ${logIndex} ${kind}`}
            empty="No activity of this kind is stored."
          />
        )}
      </Answer>
    </section>
  )
}

function Rewards({ address }: { address: string }) {
  const url = useUrlState()
  const inMarkets = url.get('marketRewards')
  const inVaults = url.get('vaultRewards')
  const markets = useGraph(MarketLiquidationRewardsDocument, {
    address,
    first: ROWS,
    ...(inMarkets && { after: inMarkets }),
  })
  const vaults = useGraph(VaultLiquidationRewardsDocument, {
    address,
    first: ROWS,
    ...(inVaults && { after: inVaults }),
  })
  const rewardKey = ({ txHash, logIndex }: Reward) => `${txHash} ${logIndex}`
  return (
    <section aria-labelledby="rewards">
      <h2 id="rewards">Liquidation rewards</h2>
      <h3>In markets</h3>
      <Answer of={markets} rows={4}>
        {({ user: { marketLiquidationRewards: list } }) => (
          <PagedTable
            caption="Rewards in markets"
            columns={rewardColumns}
            list={list}
            rowKey={rewardKey}
            parameter="marketRewards"
            empty="None."
          />
        )}
      </Answer>
      <h3>In vaults</h3>
      <Answer of={vaults} rows={4}>
        {({ user: { vaultLiquidationRewards: list } }) => (
          <PagedTable
            caption="Rewards in vaults"
            columns={rewardColumns}
            list={list}
            rowKey={rewardKey}
            parameter="vaultRewards"
            empty="None."
          />
        )}
      </Answer>
    </section>
  )
}
