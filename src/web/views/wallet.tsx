import {
  ActivityDocument,
  type ActivityKind,
  DistributionsDocument,
  EarningsChartDocument,
  EarningsDocument,
  type EarningsRowFragment,
  type EarningsTotalsFragment,
  LatestSnapshotsDocument,
  LedgerDocument,
  type LedgerQuery,
  type LedgerReason,
  LiquidationRewardsDocument,
  PositionOriginsDocument,
  ProfitOfPeriodDocument,
  type ProfitPartsFragment,
  RankChartDocument,
  UserDocument,
  type UserSummaryFragment,
  UsersOnDateDocument,
} from 'lending-graph-client'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { activityColumns, KINDS } from '../activity-columns.tsx'
import { AddressLinks } from '../address-links.tsx'
import { Answer, Empty } from '../answer.tsx'
import { endOf, useAsOf, usePast } from '../as-of.tsx'
import { Chart } from '../chart.tsx'
import { EntityLink } from '../entity-link.tsx'
import { Fact, Facts } from '../facts.tsx'
import { isAddress, isoDay } from '../format.ts'
import { gapNote, hasGap, PRICE_MISSING } from '../gaps.ts'
import { HoldingsTable } from '../holdings-table.tsx'
import { WalletIcon } from '../identity.tsx'
import { knownNumbers, whyNoNetApy } from '../known-numbers.ts'
import { useMarks } from '../marks.ts'
import { changedFactors, symbolsOf } from '../multiplier-chips.tsx'
import { Star } from '../my-wallet.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page, Section } from '../page-frame.tsx'
import { served, walletPath } from '../paths.ts'
import { PointsArithmetic } from '../points-arithmetic.tsx'
import { pointsChangeColumns } from '../points-change-columns.tsx'
import { PositionsTable } from '../positions-table.tsx'
import { noteWallet } from '../recent-wallets.ts'
import { Share } from '../share.tsx'
import { RangeChoice, useSpan } from '../span.tsx'
import { NextRankNote, ShareNote } from '../standing.tsx'
import { type Column, PagedTable, usePage } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { type GraphAnswer, useGraph } from '../use-graph.ts'
import { DistributionLink, Moment, Num, PoolLink, Rank, RankChange, Unknown } from '../values.tsx'
import { useWalletNames, WalletNameForm } from '../wallet-names.tsx'
import { rewardColumns } from './reward-columns.tsx'

const ROWS = 10

/** The profit, then its parts. */
const PARTS = [
  ['Profit', 'profitUsd'],
  ['Interest', 'interestUsd'],
  ['Price changes', 'priceUsd'],
  ['Liquidations', 'liquidationUsd'],
] as const

/**
 * A wallet: points and rank, worth, earnings, positions, activity, changes of points and rewards.
 */
export function Wallet({ address }: { address: string }) {
  if (!isAddress(address))
    return (
      <Page title="Wallet">
        <NotAnAddress text={address} />
      </Page>
    )
  return <KnownWallet address={address.toLowerCase()} />
}

/** The head of the page, now or as of the date that is shown. */
function useUser(address: string): GraphAnswer<{ user: UserSummaryFragment }> {
  const { date } = useAsOf()
  const now = useGraph(UserDocument, { address }, { pause: date !== undefined })
  const variables = { addresses: [address], asOf: date ?? '', at: endOf(date ?? '') }
  const then = useGraph(UsersOnDateDocument, variables, { pause: date === undefined })
  if (date === undefined) return now
  const [user] = then.data?.lookupUsers ?? []
  // Nothing that is always of now.
  return { ...then, data: user && { user: { ...user, pointsPerDay: null, change: null } } }
}

function KnownWallet({ address }: { address: string }) {
  const user = useUser(address)
  useEffect(() => noteWallet(address), [address])
  const { nameOf, isNamed } = useWalletNames()
  const heading = isNamed(address) ? (
    <>
      {nameOf(address)} <small className="hex">{address}</small>
    </>
  ) : (
    <span className="hex">{address}</span>
  )
  return (
    <Page
      title={isNamed(address) ? nameOf(address) : `Wallet ${address}`}
      heading={heading}
      icon={<WalletIcon address={address} size={36} />}
      operation={{ query: UserDocument, variables: { address } }}
      rest={`/points/${address}`}
    >
      <AddressLinks address={address}>
        <Star address={address} />
        <WalletNameForm address={address} />
        <Link href={`/compare?wallets=${address}`}>Compare</Link>
        <Link href={`/leaderboard?account=${address}`}>Show on the leaderboard</Link>
        <a href={served(`/tables/accounts/${address}.jsonl`)} download>
          Save all records
        </a>
        <Share kind="wallets" path={walletPath(address)} address={address} />
      </AddressLinks>
      <Answer of={user} rows={6}>
        {({ user }) => (
          <>
            {isUnknown(user) && <Empty>No activity is stored for this wallet.</Empty>}
            <Summary user={user} />
            <Remarks user={user} />
          </>
        )}
      </Answer>
      {/* The content above decides its place. */}
      <div hidden={!user.data && !user.error}>
        <Holdings address={address} />
        {user.data?.user.lastDate && <Positions address={address} last={user.data.user.lastDate} />}
        <Charts address={address} />
        <Earnings address={address} />
        <ActivityList address={address} />
        <Changes address={address} />
        <Rewards address={address} />
      </div>
    </Page>
  )
}

const isUnknown = ({ recordCount, worth, earnings }: UserSummaryFragment) =>
  recordCount === 0 && worth === null && earnings.netCashInvestedUsd === 0

function Summary({ user }: { user: UserSummaryFragment }) {
  const url = useUrlState()
  const { change, worth } = user
  const { profitUsd, netApy, netDepositApr, netBorrowApr } = knownNumbers(user)
  const details = [
    ['Supplied', worth?.suppliedUsd, 'usd'],
    ['Protected', worth?.protectedUsd, 'usd'],
    ['In vaults', worth?.vaultsUsd, 'usd'],
    ['Borrowed', worth?.borrowedUsd, 'usd'],
    ['Net APR, deposits', netDepositApr, 'percent'],
    ['Net APR, debt', netBorrowApr, 'percent'],
    ['Points per day', user.pointsPerDay, 'points'],
  ] as const
  const isPast = useAsOf().date !== undefined
  return (
    <>
      <Facts lead>
        <Fact name="Net worth">
          <Num value={worth?.netUsd} unit="usd" />
          {change && change.netWorthUsd !== null && (
            <Week address={user.address} since={change.since} netWorthUsd={change.netWorthUsd} />
          )}
        </Fact>
        <Fact name="Points">
          <Num value={user.totalPoints} unit="points" />
          {change && (
            <small>
              <Num value={change.points} unit="points" change="gain" /> in 7 days
            </small>
          )}
          <ShareNote address={user.address} />
        </Fact>
        <Fact name="Rank">
          <Rank value={user.totalPoints > 0 ? user.rank : null} />
          {change && user.totalPoints > 0 && (
            <small>
              <RankChange ranks={change.rank} /> in 7 days
            </small>
          )}
          <NextRankNote address={user.address} />
        </Fact>
        <Fact name="Profit">
          <Num value={profitUsd} unit="usd" />
          {profitUsd !== null && <ProfitParts of={user.earnings} />}
          {worth && profitUsd === null && (
            <small>
              some have <a href={`${url.link({ kind: UNPRICED })}#activity`}>no price</a>
            </small>
          )}
        </Fact>
        <Fact name="Net APY">
          {netApy === null ? (
            <Unknown why={whyNoNetApy(user) ?? 'not known'} />
          ) : (
            <Num value={netApy} unit="percent" change="gain" />
          )}
          <small>interest of a year, less that on debt, by net worth</small>
        </Fact>
      </Facts>
      <Facts>
        {details.slice(0, isPast ? -1 : undefined).map(([name, value, unit]) => (
          <Fact key={name} name={name}>
            <Num value={value} unit={unit} />
          </Fact>
        ))}
      </Facts>
    </>
  )
}

/** The parts of the profit, which add up to it. */
const ProfitParts = ({ of }: { of: ProfitPartsFragment }) => (
  <>
    {PARTS.slice(1).map(([name, part]) => (
      <small key={part}>
        <Num value={of[part]} unit="usd" change="gain" /> {name.toLowerCase()}
      </small>
    ))}
  </>
)

interface WeekProps {
  address: string
  since: string
  netWorthUsd: number
}

/** The change of the net worth in a week: the profit, and what the wallet itself moved. */
function Week({ address, since, netWorthUsd }: WeekProps) {
  const end = `${isoDay(since)}T23:59:59Z`
  const profit = useGraph(ProfitOfPeriodDocument, { address, since: end })
  const gain = profit.data?.user.earnings.profitUsd ?? null
  return (
    <>
      <small>
        <Num value={netWorthUsd} unit="usd" change="signed" /> in 7 days
      </small>
      {gain !== null && (
        <small>
          <Num value={gain} unit="usd" change="gain" /> profit
        </small>
      )}
      {gain !== null && (
        <small>
          <Num value={netWorthUsd - gain} unit="usd" change="signed" /> moved in or out
        </small>
      )}
    </>
  )
}

/** How the amounts above add up, of when they are, and since when there are points. */
function Remarks({ user }: { user: UserSummaryFragment }) {
  const { worth, firstDate } = user
  const isPast = useAsOf().date !== undefined
  const { withoutRates } = knownNumbers(user)
  if (!worth && !firstDate) return null
  return (
    <p className="lede">
      {worth && (
        <>
          Net worth is supplied + protected + in vaults − borrowed, by the newest snapshots
          {isPast && ' of that time'} (
          <Moment iso={worth.time} />
          ). {worth.hasIncompletePrices && 'An amount without a price counts as $0. '}
          {withoutRates > 0 && 'Net APR leaves out what has no known rate. '}
        </>
      )}
      {firstDate && (
        <>
          Points since <DistributionLink date={firstDate} />.
        </>
      )}
    </p>
  )
}

function Holdings({ address }: { address: string }) {
  const { at } = usePast()
  const variables = { address, ...(at && { at }) }
  const holdings = useGraph(LatestSnapshotsDocument, variables)
  return (
    <Section
      id="holdings"
      title="Holdings"
      operation={{ query: LatestSnapshotsDocument, variables }}
      rest={`/v1/users/${address}/market-position-snapshots`}
    >
      <Answer of={holdings} rows={4}>
        {({ user: { latestSnapshots } }) => <HoldingsTable snapshots={latestSnapshots} />}
      </Answer>
    </Section>
  )
}

interface PositionsProps {
  address: string
  /** The last date with a position. */
  last: string
}

function Positions({ address, last }: PositionsProps) {
  const page = usePage(ROWS, 'positions')
  const { date: asOf, counted } = useAsOf()
  const isPast = asOf !== undefined
  const newest = useGraph(DistributionsDocument, { first: 1 }, { pause: isPast })
  const date = isPast ? undefined : newest.data?.distributions.nodes[0]?.date
  const of = isPast
    ? { asOf, where: { users: [address] } }
    : { where: { users: [address], date: { eq: last } } }
  const variables = { ...of, ...page }
  const positions = useGraph(PositionOriginsDocument, variables, {
    pause: !isPast && last !== date,
  })
  return (
    <Section
      id="positions"
      title="Positions"
      operation={{ query: PositionOriginsDocument, variables }}
      rest={`/positions/${address}`}
    >
      {date && last !== date ? (
        <Empty>
          No open positions: the last ones were on <DistributionLink date={last} />.
        </Empty>
      ) : (
        <>
          <p className="lede">
            Points of <DistributionLink date={isPast ? (counted ?? asOf) : last} />. Click points to
            see the run that computed them.
          </p>
          <Answer
            of={
              newest.error ? { ...positions, error: newest.error, retry: newest.retry } : positions
            }
            rows={4}
          >
            {({ positions: list }) => (
              <>
                <PositionsTable
                  caption="Positions"
                  list={list}
                  rows={ROWS}
                  parameter="positions"
                  whole={{ name: 'positions', arguments: variables }}
                />
                <PointsArithmetic positions={list.nodes} />
              </>
            )}
          </Answer>
        </>
      )}
    </Section>
  )
}

function Charts({ address }: { address: string }) {
  const span = useSpan()
  const variables = { address, ...span }
  const marks = useMarks()
  const points = useGraph(RankChartDocument, variables, { pause: !span })
  const earnings = useGraph(EarningsChartDocument, variables, { pause: !span })
  return (
    <Section
      id="charts"
      title="History"
      operation={{ query: EarningsChartDocument, variables }}
      more={<RangeChoice />}
    >
      <div className="charts">
        <Answer of={earnings} charts={2}>
          {({ user: { series } }) => {
            const times = series.map(({ start }) => start)
            const of = (
              term: 'netUsd' | 'suppliedUsd' | 'protectedUsd' | 'vaultsUsd' | 'borrowedUsd',
            ) => series.map(({ worth }) => worth?.[term] ?? null)
            return (
              <>
                <Chart
                  title="Net worth"
                  unit="usd"
                  times={times}
                  series={[
                    { label: 'Net worth', values: of('netUsd') },
                    { label: 'Supplied', values: of('suppliedUsd'), stack: 'above' },
                    { label: 'Protected', values: of('protectedUsd'), stack: 'above' },
                    { label: 'In vaults', values: of('vaultsUsd'), stack: 'above' },
                    { label: 'Borrowed', values: of('borrowedUsd'), stack: 'below' },
                  ]}
                  note={gapNote(series, ({ worth }) => worth)}
                />
                <Chart
                  title="Profit"
                  unit="usd"
                  times={times}
                  series={PARTS.map(([label, part]) => ({
                    label,
                    values: series.map((bucket) => bucket[part]),
                  }))}
                  note={hasGap(series.map(({ profitUsd }) => profitUsd)) ? PRICE_MISSING : ''}
                />
              </>
            )
          }}
        </Answer>
        <Answer of={points} charts={2}>
          {({ user: { series } }) => {
            const times = series.map(({ start }) => start)
            return (
              <>
                <Chart
                  title="Points per day"
                  unit="points"
                  times={times}
                  series={[
                    { label: 'Points per day', values: series.map((bucket) => bucket.points) },
                  ]}
                  marks={marks}
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
      </div>
    </Section>
  )
}

const earningsColumns: Column<EarningsRowFragment>[] = [
  {
    name: 'Market or vault',
    heads: true,
    cell: ({ entity, entityAddress }) => <EntityLink entity={entity} address={entityAddress} />,
  },
  { name: 'Current value', numeric: true, cell: (row) => <Num value={row.worthUsd} unit="usd" /> },
  {
    name: 'Net invested',
    numeric: true,
    cell: (row) => <Num value={row.netCashInvestedUsd} unit="usd" />,
  },
  { name: 'Earnings', numeric: true, cell: (row) => <Num value={row.earningsUsd} unit="usd" /> },
  { name: 'Profit', numeric: true, cell: (row) => <Num value={row.profitUsd} unit="usd" /> },
]

/** The profit and its parts, which add up to it. */
function Profit({ earnings }: { earnings: EarningsTotalsFragment }) {
  return (
    <>
      <Facts>
        {PARTS.map(([name, part]) => (
          <Fact key={name} name={name}>
            <Num value={earnings[part]} unit="usd" />
          </Fact>
        ))}
      </Facts>
      <p className="lede">
        Profit is interest + price changes + liquidations, up to the newest snapshots. Earnings are
        current value − net invested.
        {earnings.profitUsd === null && ' Profit is unknown where a price is missing.'}
      </p>
    </>
  )
}

function Earnings({ address }: { address: string }) {
  const { at } = usePast()
  const variables = { address, ...(at && { at }), ...usePage(ROWS, 'earnings') }
  const earnings = useGraph(EarningsDocument, variables)
  return (
    <Section
      id="earnings"
      title="Earnings by market and vault"
      operation={{ query: EarningsDocument, variables }}
      rest={`/v1/users/${address}/earnings`}
    >
      <Answer of={earnings} rows={4}>
        {({ user: { earnings } }) => (
          <>
            {earnings.entityCount > 0 && <Profit earnings={earnings} />}
            <PagedTable
              caption="Earnings by market and vault"
              columns={earningsColumns}
              list={{ nodes: earnings.breakdown, totalCount: earnings.entityCount }}
              rowKey={({ chainId, entityType, entityAddress }) =>
                `${chainId} ${entityType} ${entityAddress}`
              }
              parameter="earnings"
              rows={ROWS}
              empty={<Empty>No holdings are stored.</Empty>}
            />
          </>
        )}
      </Answer>
    </Section>
  )
}

/** Chooses what has no price, in place of a kind. */
const UNPRICED = 'unpriced'

function ActivityList({ address }: { address: string }) {
  const url = useUrlState()
  const chosen = url.get('kind')
  const kind = (Object.keys(KINDS) as ActivityKind[]).find((one) => one === chosen)
  const { at } = usePast()
  const choice = chosen === UNPRICED ? { unpriced: true } : kind && { kinds: [kind] }
  const where = at ? { ...choice, time: { lte: at } } : choice
  const variables = { address, ...usePage(ROWS), ...(where && { where }) }
  const activity = useGraph(ActivityDocument, variables)
  return (
    <Section id="activity" title="Activity" operation={{ query: ActivityDocument, variables }}>
      <label>
        Show
        <select
          value={choice ? chosen : ''}
          onChange={({ target }) => url.set({ kind: target.value || undefined })}
        >
          <option value="">everything</option>
          {Object.entries(KINDS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value={UNPRICED}>without a price</option>
        </select>
      </label>
      <Answer of={activity} rows={ROWS}>
        {({ user: { activity } }) => (
          <PagedTable
            caption="Activity"
            columns={activityColumns}
            list={activity}
            whole={{ name: 'activity', arguments: { where: { ...where, users: [address] } } }}
            rowKey={({ txHash, logIndex, kind }) => `${txHash} ${logIndex} ${kind}`}
            rows={ROWS}
            cards
            empty={<Empty>No activity of this kind is stored.</Empty>}
          />
        )}
      </Answer>
    </Section>
  )
}

const REASONS: Record<LedgerReason, string> = {
  POSITION_ADDED: 'position added',
  POSITION_CHANGED: 'amounts',
  POSITION_REMOVED: 'position removed',
  MULTIPLIER: 'multiplier',
  BASE_POINTS: 'base points',
  PRICE: 'prices',
  IMPORTED_POINTS: 'imported points',
}

type Change = LedgerQuery['user']['ledger']['nodes'][number]

/** The reasons of a change in words. A multiplier has its sides that differ: supply USDC 1x → 2x. */
function reasonsOf({ reasons, multiplierBefore, multiplierAfter, pool }: Change): string[] {
  const symbols = symbolsOf(pool)
  const factors = changedFactors(multiplierBefore, multiplierAfter, symbols).join(', ')
  return reasons.map((one) => (one === 'MULTIPLIER' ? `${REASONS[one]} ${factors}` : REASONS[one]))
}

const changeColumns: Column<Change>[] = [
  { name: 'Date', heads: true, cell: ({ date }) => <DistributionLink date={date} /> },
  {
    name: 'Pool',
    cell: ({ pool }) =>
      pool ? <PoolLink address={pool.address} name={pool.displayName} /> : <Unknown />,
  },
  ...pointsChangeColumns(),
  {
    name: 'Because of',
    cell: (change) => (change.reasons.length > 0 ? reasonsOf(change).join(', ') : <Unknown />),
  },
  { name: 'Run', cell: ({ runRecordId: id }) => <Link href={`/runs/${id}`}>{id}</Link> },
]

/** The ledger: how runs have changed the points of dates that were stored before. */
function Changes({ address }: { address: string }) {
  const { asOf } = usePast()
  const where = asOf && { date: { lte: asOf } }
  const variables = { address, ...usePage(ROWS, 'ledger'), ...(where && { where }) }
  const ledger = useGraph(LedgerDocument, variables)
  return (
    <Section id="ledger" title="Changes of points" operation={{ query: LedgerDocument, variables }}>
      <p className="lede">
        Runs that changed the points of a date after its first run, newest run first.
      </p>
      <Answer of={ledger} rows={4}>
        {({ user: { ledger: list } }) => (
          <PagedTable
            caption="Changes of points"
            columns={changeColumns}
            list={list}
            rowKey={({ runRecordId, date, pool }) => `${runRecordId} ${date} ${pool?.address}`}
            parameter="ledger"
            rows={ROWS}
            empty={<Empty>No run has changed them.</Empty>}
          />
        )}
      </Answer>
    </Section>
  )
}

function Rewards({ address }: { address: string }) {
  const { at } = usePast()
  const where = at && { time: { lte: at } }
  const variables = { address, ...usePage(ROWS, 'rewards'), ...(where && { where }) }
  const rewards = useGraph(LiquidationRewardsDocument, variables)
  return (
    <details className="fold">
      <summary>Liquidation rewards</summary>
      <Answer of={rewards} rows={4}>
        {({ user: { liquidationRewards: list } }) => (
          <PagedTable
            caption="Liquidation rewards"
            columns={rewardColumns}
            list={list}
            rowKey={({ id }) => id}
            whole={{
              name: 'liquidationRewards',
              arguments: { where: { ...where, users: [address] } },
            }}
            parameter="rewards"
            rows={ROWS}
            empty={<Empty>None.</Empty>}
          />
        )}
      </Answer>
    </details>
  )
}
