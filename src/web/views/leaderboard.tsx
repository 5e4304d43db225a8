import {
  LeaderboardAroundDocument,
  LeaderboardDocument,
  type LeaderboardEntryFragment,
  type LeaderboardQuery,
  type LeaderboardRowFragment,
  LeaderboardWindowDocument,
  type LeaderboardWindowQuery,
  PoolsDocument,
  WindowPointsDocument,
} from 'lending-graph-client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { useAsOf } from '../as-of.tsx'
import { type BoardScope, useBoardScope, useSeasons } from '../board-scope.tsx'
import { Fact, Facts } from '../facts.tsx'
import { day, isAddress } from '../format.ts'
import { useMyWallet } from '../my-wallet.tsx'
import { nameText } from '../name.tsx'
import { Dash, DaysToNextRank, NextRank, Share } from '../next-rank.tsx'
import { NotAnAddress } from '../not-an-address.tsx'
import { Page } from '../page-frame.tsx'
import { seasonEnd } from '../season-words.ts'
import { type Column, Pager, Table, usePage } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, Rank, RankChange, WalletLink } from '../values.tsx'
import { WalletField } from '../wallet-field.tsx'

const ROWS = 25
/** The rows around a wallet. */
const AROUND = 5
const WINDOWS = [
  ['all', 'All time'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const

/** A row, and the one above it, if that is known. */
interface Row extends LeaderboardEntryFragment {
  user: LeaderboardEntryFragment['user'] & Partial<LeaderboardRowFragment['user']>
  above?: Row
}

/** The whole that the rows are a part of. */
interface Whole {
  /** The points of all wallets, and of the first one. */
  all: number | undefined
  most: number | undefined
  /** The distribution dates of a window. */
  dates?: number | undefined
}

const rankAndPoints: Column<Row>[] = [
  {
    name: 'Rank',
    numeric: true,
    cell: ({ rank, points }) =>
      points > 0 && rank <= 3 ? (
        <span className="top" data-rank={rank}>
          <Rank value={rank} />
        </span>
      ) : (
        <Rank value={points > 0 ? rank : null} />
      ),
  },
  { name: 'Wallet', heads: true, cell: ({ user }) => <WalletLink address={user.address} /> },
  { name: 'Points', numeric: true, cell: ({ points }) => <Num value={points} unit="points" /> },
]
const perDay: Column<Row> = {
  name: 'Points per day',
  numeric: true,
  cell: ({ user }) => <Num value={user.pointsPerDay} unit="points" />,
}
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
const toNext: Column<Row> = {
  name: 'To the next rank',
  numeric: true,
  cell: (row) => <NextRank row={row} above={row.above} />,
}
const daysToNext: Column<Row> = {
  name: 'At this pace',
  numeric: true,
  cell: (row) => (
    <DaysToNextRank row={row} above={row.above} never={<Dash why="not at this pace" />} />
  ),
}
const shareOf = ({ all, most }: Whole): Column<Row> => ({
  name: 'Share',
  numeric: true,
  cell: ({ points }) => <Share of={points} all={all} {...(most && { most })} />,
})
const averageOf = (dates: number): Column<Row> => ({
  name: 'Per day, on average',
  numeric: true,
  cell: ({ points }) => <Num value={points / dates} unit="points" />,
})

/** The columns of the newest board, of a past one, or of a window. */
function columnsOf(isNow: boolean, whole: Whole): Column<Row>[] {
  const always = [...rankAndPoints, shareOf(whole)]
  if (isNow) return [...always, perDay, ...changes, toNext, daysToNext]
  return [...always, ...(whole.dates ? [averageOf(whole.dates)] : []), toNext]
}

/** Rows of consecutive ranks, each with the one above it. The first of a later page has none. */
const withAbove = (rows: readonly Row[]): Row[] =>
  rows.map((row, at) => {
    const above = rows[at - 1]
    return above ? { ...row, above } : row
  })

/** The rows of a page, which was read from the row before it on. */
const pageOf = (rows: readonly Row[], offset: number | undefined): Row[] =>
  withAbove(rows).slice(offset ? 1 : 0)

/** The users with the most points: now, as of a date, or in a season, a window or a pool. */
export function Leaderboard() {
  const url = useUrlState()
  const mine = useMyWallet()
  const { scope, totals, fault, isWaiting, isPlain, failed } = useBoardScope()
  const account = url.get('account') ?? mine
  const asOf = useAsOf().date
  const isWindow = !isPlain
  const { first, offset } = usePage(ROWS)
  const page = offset ? { first: first + 1, offset: offset - 1 } : { first }
  const past = isPlain && asOf ? { scope: { asOf }, asOf, upTo: asOf } : {}
  const isPaused = fault !== undefined || isWaiting
  const ofNow = { ...page, ...past }
  const now = useGraph(LeaderboardDocument, ofNow, { pause: isWindow || isPaused })
  const ofWindow = { ...page, scope: scope ?? { window: {} } }
  const window = useGraph(LeaderboardWindowDocument, ofWindow, { pause: !isWindow || isPaused })
  const sum = useGraph(WindowPointsDocument, totals, { pause: !isWindow || isPaused })
  const isNow = isPlain && !asOf
  const series = sum.data?.program?.series ?? sum.data?.pool?.series
  const whole: Whole = isWindow
    ? {
        all: series?.reduce((total, { points }) => total + points, 0),
        dates: series?.filter(({ points }) => points > 0).length,
        most: window.data?.leader.nodes[0]?.points,
      }
    : { all: now.data?.program.totalPoints, most: now.data?.leader.nodes[0]?.points }
  const table = (label: string, rows: readonly Row[]) => (
    <div className="board">
      <Table
        caption={label}
        columns={columnsOf(isNow, whole)}
        rows={rows}
        rowKey={(row) => row.user.address}
        isCurrent={({ user }) => user.address === account?.toLowerCase()}
        whole={{
          name: 'leaderboard',
          arguments: { scope: isWindow ? ofWindow.scope : past.scope },
        }}
      />
    </div>
  )
  const pager = (totalCount: number) => (
    <Pager label="the leaderboard" totalCount={totalCount} rows={ROWS} />
  )
  const boardOfWindow = ({ leaderboard }: LeaderboardWindowQuery) => (
    <>
      <Facts>
        <Fact name="Wallets with these filters">
          <Num value={leaderboard.totalCount} unit="count" />
        </Fact>
        <Fact name="Their points">
          <Num value={whole.all} unit="points" />
        </Fact>
        <Fact name="Distribution dates">
          <Num value={whole.dates} unit="count" />
        </Fact>
        <SeasonFacts />
      </Facts>
      {leaderboard.totalCount === 0 ? (
        <Empty>No wallet has points with these filters.</Empty>
      ) : (
        table('Leaderboard', pageOf(leaderboard.nodes, offset))
      )}
      {pager(leaderboard.totalCount)}
    </>
  )
  const boardOfDate = (board: LeaderboardQuery) => {
    if (board.newest.nodes.length === 0) return <NothingStored of="positions" />
    return (
      <>
        <Totals board={board} asOf={asOf} />
        {table('Leaderboard', pageOf(board.leaderboard.nodes, offset))}
        {pager(board.leaderboard.totalCount)}
      </>
    )
  }
  const operation = isWindow
    ? { query: LeaderboardWindowDocument, variables: ofWindow }
    : { query: LeaderboardDocument, variables: ofNow }
  return (
    <Page title="Leaderboard" operation={operation} {...(isNow && { rest: '/points/leaderboard' })}>
      <Choices account={account} />
      {fault}
      {account !== undefined && !fault && (
        <OwnPlace account={account} scope={scope} isWaiting={isWaiting} table={table} />
      )}
      {!fault && (
        <>
          <div className="section-head">
            <h2>Top wallets</h2>
            {!asOf && <ActiveSeason />}
          </div>
          {isWindow ? (
            <Answer
              of={{ ...window, ...(failed && { error: failed.error, retry: failed.retry }) }}
              rows={ROWS}
            >
              {boardOfWindow}
            </Answer>
          ) : (
            <Answer of={now} rows={ROWS}>
              {boardOfDate}
            </Answer>
          )}
        </>
      )}
    </Page>
  )
}

/** When the season of the address is, and the digest of its board once that is final. */
function SeasonFacts() {
  const name = useUrlState().get('season')
  const season = useSeasons()?.find((one) => one.name === name)
  if (!season) return null
  const { startsAt, digest } = season
  return (
    <>
      <Fact name={season.name}>
        <small>
          {day(startsAt)} – {season.endsAt ? day(season.endsAt) : 'open'}
        </small>
        <small>{seasonEnd(season)}</small>
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
  )
}

/** The season of today, at the end of a heading: it comes late, and moves nothing. */
function ActiveSeason() {
  const active = useSeasons()?.find(({ status }) => status === 'ACTIVE')
  return active ? (
    <small>
      {active.name} {seasonEnd(active)}
    </small>
  ) : null
}

/** The visible part of the leaderboard. A season, a window, a pool and a date can be combined. */
function Choices({ account }: { account: string | undefined }) {
  const url = useUrlState()
  const current = url.oneOf('window', ['all', '7', '30'])
  const seasons = useSeasons()?.filter(({ status }) => status !== 'UPCOMING') ?? []
  const pools = useGraph(PoolsDocument, { first: 200, orderBy: 'TVL_USD', orderDirection: 'DESC' })
  return (
    <div className="choices">
      <nav className="choice" aria-label="Window">
        {WINDOWS.map(([days, name]) => (
          <Link
            key={days}
            href={url.link({ window: days === 'all' ? undefined : days })}
            aria-current={days === current ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      {seasons.length > 0 && (
        <label>
          Season
          <select
            value={url.get('season') ?? ''}
            onChange={({ target }) => url.set({ season: target.value || undefined })}
          >
            <option value="">All seasons</option>
            {seasons.map(({ id, name }) => (
              <option key={id} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Pool
        <select
          value={url.get('pool') ?? ''}
          onChange={({ target }) => url.set({ pool: target.value || undefined })}
        >
          <option value="">All pools</option>
          {pools.data?.pools.nodes.map(({ address, displayName }) => (
            <option key={address} value={address}>
              {nameText({ kind: 'pool', name: displayName, address })}
            </option>
          ))}
        </select>
      </label>
      <WalletField
        key={account}
        label="Find a wallet"
        button="Show"
        value={account}
        onWallet={(address) => url.set({ account: address })}
      />
    </div>
  )
}

interface OwnPlaceProps {
  account: string
  scope: BoardScope | undefined
  isWaiting: boolean
  table(label: string, rows: readonly Row[]): ReactNode
}

/** An account's place, with the rows around it. */
function OwnPlace({ account, scope, isWaiting, table }: OwnPlaceProps) {
  const isValid = isAddress(account)
  const around = useGraph(
    LeaderboardAroundDocument,
    { address: account, first: AROUND + 1, ...(scope && { scope }) },
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
                {scope && ('asOf' in scope ? ' by this date' : ' with these filters')}.
              </Empty>
            ) : (
              <>
                <p>
                  Rank <Num value={aroundRank} unit="count" /> of{' '}
                  <Num value={totalCount} unit="count" />
                </p>
                {table('Your place', aroundRows(nodes))}
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

/** The rows around a wallet. The row above the first of them was read for its distance alone. */
function aroundRows(nodes: readonly Row[]): Row[] {
  const rows = withAbove(nodes)
  return rows[0]?.rank === 1 ? rows.slice(0, AROUND) : rows.slice(1)
}
