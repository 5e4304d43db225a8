import {
  ActivityDocument,
  type ActivityKind,
  type ActivityRowFragment,
  EarningsChartDocument,
  EarningsDocument,
  type EarningsRowFragment,
  MarketLiquidationRewardsDocument,
  PositionOriginsDocument,
  type PositionOriginsQuery,
  RankChartDocument,
  UserChartDocument,
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
  const date = user.data?.user.lastDistributionDate
  const where = { user: address, date: { eq: date ?? '' } }
  const positions = useGraph(PositionOriginsDocument, { where, first: ROWS, ...(after && { after }) }, { pause: !date })
  const isHeadShown = user.error || (user.data && (!date || positions.data || positions.error))
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
            {isUnknown(user) && (
              <Empty>The store does not know this wallet: it has no position, and all of its numbers are zero.</Empty>
            )}
            <Summary user={user} />
            {user.lastDistributionDate && <Positions positions={positions} date={user.lastDistributionDate} />}
          </>
        )}
      </Answer>
      {/* What is above it decides where it is. */}
      <div hidden={!isHeadShown}>
        <Charts address={address} />
        <Earnings address={address} />
        <ActivityList address={address} />
        <Rewards address={address} />
      </div>
    </Page>
  )
}

const isUnknown = ({ positionCount, earnings }: UserSummaryFragment) =>
  positionCount === 0 && earnings.totalCurrentValueUsd === 0 && earnings.totalNetCashInvestedUsd === 0

function Summary({ user }: { user: UserSummaryFragment }) {
  const { change, earnings, netApr } = user
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
        <Num value={user.netWorthUsd} unit="usd" />
        {change && (
          <small>
            <Num value={change.netWorthUsd} unit="usd" isChange /> in 7 days
          </small>
        )}
      </Fact>
      <Fact name="Supplied">
        <Num value={user.suppliedUsd} unit="usd" />
      </Fact>
      <Fact name="Debt">
        <Num value={user.borrowedUsd} unit="usd" />
      </Fact>
      <Fact name="Earnings">
        <Num value={earnings.totalEarningsUsd} unit="usd" />
        {earnings.hasIncompletePrices && <small>some prices are not known</small>}
      </Fact>
      <Fact name="Net APR, deposits">
        <Num value={netApr.earnNetApr} unit="percent" />
      </Fact>
      <Fact name="Net APR, debt">
        <Num value={netApr.borrowNetApr} unit="percent" />
      </Fact>
      <Fact name="Points since">
        {user.firstDistributionDate ? <DistributionLink date={user.firstDistributionDate} /> : <Unknown />}
      </Fact>
    </Facts>
  )
}

function Positions({ positions, date }: { positions: GraphAnswer<PositionOriginsQuery>; date: string }) {
  return (
    <section aria-labelledby="positions">
      <h2 id="positions">Positions</h2>
      <p>
        On <DistributionLink date={date} />. Points lead to the run that computed them.
      </p>
      <Answer of={positions} rows={4}>
        {({ positions: { nodes, pageInfo } }) => (
          <>
            <PositionsTable caption="Positions" positions={nodes} />
            <Pager label="positions" pageInfo={pageInfo} parameter="positions" />
          </>
        )}
      </Answer>
    </section>
  )
}

function Charts({ address }: { address: string }) {
  const variables = { address, interval: useInterval() }
  const amounts = useGraph(UserChartDocument, variables)
  const ranks = useGraph(RankChartDocument, variables)
  const earnings = useGraph(EarningsChartDocument, variables)
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">Through time</h2>
      <IntervalChoice />
      <div className="charts">
        <Answer of={amounts} charts={2}>
          {({ user: { series } }) => {
            const times = series.map(({ start }) => start)
            const of = (key: 'points' | 'netWorthUsd' | 'tvlUsd' | 'borrowedUsd') => series.map((bucket) => bucket[key])
            return (
              <>
                <Chart
                  title="Points"
                  unit="points"
                  times={times}
                  series={[{ label: 'Points', values: of('points') }]}
                />
                <Chart
                  title="Net worth, collateral and debt"
                  unit="usd"
                  times={times}
                  series={[
                    { label: 'Net worth', values: of('netWorthUsd') },
                    { label: 'Collateral', values: of('tvlUsd') },
                    { label: 'Debt', values: of('borrowedUsd') },
                  ]}
                />
              </>
            )
          }}
        </Answer>
        <Answer of={ranks} charts={1}>
          {({ user: { series } }) => (
            <Chart
              title="Rank"
              unit="count"
              times={series.map(({ start }) => start)}
              series={[{ label: 'Rank', values: series.map(({ rank }) => rank) }]}
              isReversed
            />
          )}
        </Answer>
        <Answer of={earnings} charts={1}>
          {({ user: { series } }) => (
            <Chart
              title="Earnings"
              unit="usd"
              times={series.map(({ start }) => start)}
              series={[{ label: 'Earnings', values: series.map(({ earningsUsd }) => earningsUsd) }]}
            />
          )}
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
