import {
  DistributionsDocument,
  LeaderboardAroundDocument,
  LeaderboardDocument,
  type LeaderboardEntryFragment,
  type LeaderboardQuery,
  LeaderboardWindowDocument,
  PoolsDocument,
  SeasonsDocument,
} from 'lending-graph-client'
import type { FormEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { Fact, Facts } from '../facts.tsx'
import { day, isAddress, isDay, isoDay } from '../format.ts'
import { nameText } from '../name.tsx'
import { NoDistribution } from '../no-distribution.tsx'
import { NotADate } from '../not-a-date.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page } from '../page-frame.tsx'
import { type Column, Pager, Table, usePage } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, Rank, RankChange, WalletLink } from '../values.tsx'

const ROWS = 25
const DAY_MS = 86_400_000
const WINDOWS = [
  ['all', 'All time'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const

interface Row extends LeaderboardEntryFragment {
  user: LeaderboardEntryFragment['user'] & {
    change?: { points: number; rank: number | null } | null
  }
}

const columns: Column<Row>[] = [
  {
    name: 'Rank',
    numeric: true,
    cell: ({ rank, points }) => <Rank value={points > 0 ? rank : null} />,
  },
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
]
const changes: Column<Row>[] = [
  {
    name: 'Points in 7 days',
    numeric: true,
    cell: ({ user }) => <Num value={user.change?.points} unit="points" change="gain" />,
  },
  {
    name: 'Ranks in 7 days',
    numeric: true,
    cell: ({ points, user }) => <RankChange ranks={points > 0 ? user.change?.rank : null} />,
  },
]

/** The scope in which the counted wallets have points. */
function scopeName(season: string | undefined, days: string): string {
  if (season) return 'season'
  return days === 'all' ? 'pool' : 'window'
}

/** The users with the most points: now, as of a date, or in a window of time or a pool. */
export function Leaderboard() {
  const url = useUrlState()
  const days = url.oneOf('window', ['all', '7', '30'])
  const pool = url.get('pool')
  const season = url.get('season')
  const account = url.get('account')
  const isWindow = season !== undefined || days !== 'all' || pool !== undefined
  const asOf = isWindow ? undefined : url.get('asOf')
  const isNoDate = asOf !== undefined && !isDay(isoDay(asOf))
  const newest = useGraph(DistributionsDocument, { first: 1 }, { pause: days === 'all' })
  const newestDate = newest.data?.distributions.nodes[0]?.date
  const from =
    days !== 'all' && newestDate
      ? new Date(Date.parse(newestDate) - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10)
      : undefined
  const scope = season ? { season } : { window: { ...(from && { from }), ...(pool && { pool }) } }
  const page = usePage(ROWS)
  const isWaiting = days !== 'all' && !from
  const ofDate = asOf ? { asOf } : undefined
  const past = asOf && { scope: { asOf }, asOf, upTo: isoDay(asOf) }
  const now = useGraph(LeaderboardDocument, { ...page, ...past }, { pause: isWindow || isNoDate })
  const window = useGraph(
    LeaderboardWindowDocument,
    { ...page, scope },
    { pause: !isWindow || isWaiting },
  )
  const visible = isWindow || asOf ? columns : [...columns, ...changes]
  const isMine = ({ user }: Row) => user.address === account?.toLowerCase()
  const table = (label: string, rows: readonly Row[]) => (
    <Table
      caption={label}
      columns={visible}
      rows={rows}
      rowKey={(row) => row.user.address}
      isCurrent={isMine}
    />
  )
  const countName = `Wallets in this ${scopeName(season, days)}`
  const boardInView = () => {
    if (isNoDate) return <NotADate text={asOf} />
    if (!isWindow)
      return (
        <Answer of={now} rows={ROWS}>
          {boardOfDate}
        </Answer>
      )
    return (
      <Answer
        of={newest.error ? { ...window, error: newest.error, retry: newest.retry } : window}
        rows={ROWS}
      >
        {({ leaderboard }) => (
          <>
            <Facts>
              <Fact name={countName}>
                <Num value={leaderboard.totalCount} unit="count" />
              </Fact>
              {season && <SeasonFacts name={season} />}
            </Facts>
            {leaderboard.nodes.length === 0 ? (
              <Empty>No wallet has points in this {scopeName(season, days)}.</Empty>
            ) : (
              table('Leaderboard', leaderboard.nodes)
            )}
            <Pager label="the leaderboard" totalCount={leaderboard.totalCount} rows={ROWS} />
          </>
        )}
      </Answer>
    )
  }
  const boardOfDate = (board: LeaderboardQuery) => {
    if (board.newest.nodes.length === 0) return <NothingStored of="positions" />
    if (asOf && board.counted.nodes.length === 0)
      return (
        <NoDistribution date={asOf} dates={board}>
          {' '}
          or before it
        </NoDistribution>
      )
    return (
      <>
        <Totals board={board} asOf={asOf} />
        {table('Leaderboard', board.leaderboard.nodes)}
        <Pager label="the leaderboard" totalCount={board.leaderboard.totalCount} rows={ROWS} />
      </>
    )
  }
  const operation = isWindow
    ? { query: LeaderboardWindowDocument, variables: { ...page, scope } }
    : { query: LeaderboardDocument, variables: { ...page, ...past } }
  return (
    <Page
      title="Leaderboard"
      operation={operation}
      {...(!isWindow && !asOf && { rest: '/points/leaderboard' })}
    >
      <Choices />
      {account !== undefined && !isNoDate && (
        <OwnPlace
          account={account}
          scope={isWindow ? scope : ofDate}
          isWaiting={isWaiting}
          table={table}
        />
      )}
      <h2>Top wallets</h2>
      {boardInView()}
    </Page>
  )
}

/** When a season is, and the digest of its board once that is final. */
function SeasonFacts({ name }: { name: string }) {
  const season = useGraph(SeasonsDocument, {}).data?.program.seasons.find(
    (one) => one.name === name,
  )
  if (!season) return null
  const { startsAt, endsAt, digest } = season
  return (
    <>
      <Fact name="Season">
        {day(startsAt)} – {endsAt ? day(endsAt) : 'open'}
      </Fact>
      {digest && (
        <Fact name="Final board">
          <span title={`SHA-256 of its lines: ${digest}`}>{digest.slice(0, 12)}…</span>
        </Fact>
      )}
    </>
  )
}

/** The totals of the program as of the date that is shown. */
function Totals({ board, asOf }: { board: LeaderboardQuery; asOf: string | undefined }) {
  const { program, counted } = board
  const distribution = counted.nodes[0]
  return (
    <>
      {asOf && distribution && isoDay(distribution.date) !== isoDay(asOf) && (
        <NoDistribution date={asOf} dates={board}>
          : this is the leaderboard of the last one before it, of {day(distribution.date)}
        </NoDistribution>
      )}
      <Facts>
        <Fact name="Points">
          <Num value={program.totalPoints} unit="points" />
        </Fact>
        <Fact name="Wallets">
          <Num value={program.userCount} unit="count" />
        </Fact>
        <Fact name="Positions">
          <Num value={program.recordCount} unit="count" />
          {asOf && distribution && (
            <small>
              <Num value={distribution.positionCount} unit="count" /> of {day(distribution.date)}
            </small>
          )}
        </Fact>
      </Facts>
    </>
  )
}

/** The visible part of the leaderboard. A date, a season and a window exclude each other. */
function Choices() {
  const url = useUrlState()
  const season = url.get('season')
  const current = season ? undefined : url.oneOf('window', ['all', '7', '30'])
  const seasons = useGraph(SeasonsDocument, {}).data?.program.seasons.filter(
    ({ status }) => status !== 'UPCOMING',
  )
  const pools = useGraph(PoolsDocument, { first: 200, orderBy: 'TVL_USD', orderDirection: 'DESC' })
  const asOf = current === 'all' && !url.get('pool') ? url.get('asOf') : undefined
  const goTo = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    url.set({
      account: String(new FormData(event.currentTarget).get('account')).trim() || undefined,
    })
  }
  return (
    <div className="choices">
      <nav className="choice" aria-label="Window">
        {WINDOWS.map(([days, name]) => (
          <Link
            key={days}
            href={url.link({
              window: days === 'all' ? undefined : days,
              asOf: undefined,
              season: undefined,
            })}
            aria-current={days === current ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
        {seasons?.map(({ id, name }) => (
          <Link
            key={id}
            href={url.link({ season: name, window: undefined, asOf: undefined, pool: undefined })}
            aria-current={name === season ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <label>
        Pool
        <select
          value={url.get('pool') ?? ''}
          onChange={({ target }) =>
            url.set({ pool: target.value || undefined, asOf: undefined, season: undefined })
          }
        >
          <option value="">All pools</option>
          {pools.data?.pools.nodes.map(({ address, displayName }) => (
            <option key={address} value={address}>
              {nameText({ kind: 'pool', name: displayName, address })}
            </option>
          ))}
        </select>
      </label>
      <label>
        As of
        <input
          type="date"
          value={asOf ? isoDay(asOf) : ''}
          onChange={({ target }) =>
            url.set({
              asOf: target.value || undefined,
              window: undefined,
              pool: undefined,
              season: undefined,
            })
          }
        />
      </label>
      <form key={url.get('account')} onSubmit={goTo} className="own-place">
        <label>
          Where am I
          <input
            name="account"
            placeholder="0x…"
            defaultValue={url.get('account')}
            maxLength={100}
            spellCheck={false}
          />
        </label>
        <button type="submit">Show</button>
      </form>
    </div>
  )
}

interface OwnPlaceProps {
  account: string
  scope:
    | { asOf: string }
    | { season: string }
    | { window: { from?: string; pool?: string } }
    | undefined
  isWaiting: boolean
  table(label: string, rows: readonly Row[]): ReactNode
}

/** An account's place, with the rows around it. */
function OwnPlace({ account, scope, isWaiting, table }: OwnPlaceProps) {
  const isValid = isAddress(account)
  const around = useGraph(
    LeaderboardAroundDocument,
    { address: account, first: 5, ...(scope && { scope }) },
    { pause: !isValid || isWaiting },
  )
  return (
    <section className="own-rows" aria-label="Your place">
      <h2>Your place</h2>
      {isValid ? (
        <Answer of={around} rows={7}>
          {({ leaderboardAround: { aroundRank, totalCount, nodes } }) =>
            aroundRank === null ? (
              <Empty>
                This wallet has no rank here: it has no stored position
                {scope && 'asOf' in scope && ' by this date'}.
              </Empty>
            ) : (
              <>
                <p>
                  Rank <Num value={aroundRank} unit="count" /> of{' '}
                  <Num value={totalCount} unit="count" />
                </p>
                {table('Your place', nodes)}
              </>
            )
          }
        </Answer>
      ) : (
        <NotAnAddress text={account} />
      )}
    </section>
  )
}
