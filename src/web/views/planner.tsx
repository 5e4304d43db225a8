import {
  MyRankDocument,
  PlanBasisDocument,
  type PlanBasisQuery,
  PlanDocument,
  type PlanSideFragment,
} from 'lending-graph-client'
import type { FormEvent } from 'react'
import { Link } from 'wouter'
import { Answer, Empty } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { decimalOf } from '../decimal.ts'
import { type Draft, useDraft } from '../draft.ts'
import { Fact, Facts } from '../facts.tsx'
import { isAddress } from '../format.ts'
import { useMyWallet } from '../my-wallet.tsx'
import { nameText } from '../name.tsx'
import { Page } from '../page-frame.tsx'
import { type PoolSide, sidesOf } from '../pool-sides.ts'
import { Factor, placeColumns, SideChoice, sideColumn, useChosenSide } from '../side-choice.tsx'
import { type Column, PagedTable, usePage } from '../table.tsx'
import { type UrlState, useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num } from '../values.tsx'
import { WalletField } from '../wallet-field.tsx'

const ROWS = 25
const MAX_USD = 1e15
const MAX_DAYS = 3650
const MAX_POINT_USD = 1e6
const USUAL = { amount: '1000', days: '30' }

/** The values of a point that the slider leads to, in USD: 0, then 0.00001 to 1. */
const POINT_VALUES = [
  0,
  ...[-5, -4, -3, -2, -1].flatMap((power) =>
    [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => Number(`${digit}e${power}`)),
  ),
  1,
]

type Side = PoolSide<PlanSideFragment> & { market: PlanSideFragment }

const pointValueOf = (text: string): number | undefined => {
  const value = decimalOf(text)
  return value !== undefined && value >= 0 && value <= MAX_POINT_USD ? value : undefined
}

/** The earnings of an amount in some days, on the sides of the pools: interest and points. */
export function Planner() {
  const url = useUrlState()
  const basis = useGraph(PlanBasisDocument, {})
  const mine = useMyWallet()
  const account = [url.get('account'), mine].find((text) => text && isAddress(text))
  const wallet = useGraph(MyRankDocument, { address: account ?? '' }, { pause: !account })
  const point = useDraft('point', 0, pointValueOf)
  const me = account ? wallet.data?.user : undefined
  const token = url.get('token')
  const tokens = basis.data?.assets.nodes ?? []
  const plan = basis.data ? planOf(url, basis.data) : undefined
  const variables = {
    amountUsd: plan?.amountUsd ?? 0,
    days: plan?.days ?? 1,
    ...(token && { where: { assets: [token] } }),
  }
  const isReady = plan !== undefined && plan.fault === undefined
  const estimates = useGraph(PlanDocument, variables, { pause: !isReady })
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const state = Object.fromEntries(
      ['amount', 'unit', 'token', 'days'].map((name) => {
        const text = String(form.get(name) ?? '').trim()
        return [name, text === usualOf(name) ? undefined : text || undefined]
      }),
    )
    url.set(state)
  }
  const field = (name: keyof typeof USUAL, label: string) => (
    <label>
      {label}
      <input
        key={url.get(name)}
        name={name}
        inputMode="decimal"
        size={9}
        maxLength={30}
        defaultValue={url.get(name) ?? USUAL[name]}
      />
    </label>
  )
  return (
    <Page
      ofNow
      title="Planner"
      {...(isReady && {
        operation: {
          query: PlanDocument,
          variables: { ...variables, pointValueUsd: point.settled },
        },
      })}
    >
      <p className="lede">
        An amount earns this by the rates and rules of today: interest, points, and the rank that
        {me ? " the wallet's points and these" : ' these points'} have on the board of today.
      </p>
      <form className="choices" onSubmit={choose}>
        {field('amount', 'Amount')}
        <label>
          In
          <select key={url.get('unit')} name="unit" defaultValue={url.get('unit') ?? ''}>
            <option value="">USD</option>
            <option value="token">the token</option>
          </select>
        </label>
        <label>
          Token
          <select key={`${token} ${tokens.length}`} name="token" defaultValue={token ?? ''}>
            <option value="">All tokens</option>
            {token && !tokens.some(({ address }) => address === token) && (
              <option value={token}>{token}</option>
            )}
            {tokens.map(({ id, symbol, address, chainId }) => (
              <option key={id} value={address}>
                {nameText({ kind: 'token', name: symbol, address })} on {chainName(chainId)}
              </option>
            ))}
          </select>
        </label>
        {field('days', 'Days')}
        <button type="submit">Plan</button>
      </form>
      <PointValue of={point} />
      <div className="choices">
        <SideChoice usual="deposit" />
        <WalletField
          key={account}
          label="Added to the points of"
          button="Add"
          value={account}
          onWallet={(address) => url.set({ account: address })}
        />
      </div>
      <Answer of={basis} rows={ROWS}>
        {(basis) =>
          plan?.fault ? (
            <p className="fault" role="alert">
              {plan.fault}
            </p>
          ) : (
            <Answer of={estimates} rows={ROWS}>
              {({ pools }) => (
                <Plans
                  sides={sidesOf(pools.nodes)
                    .filter(isEstimated)
                    .filter(({ asset }) => !token || asset.address === token)}
                  days={variables.days}
                  pointUsd={point.value}
                  board={basis.leaderboard}
                  before={me?.totalPoints ?? 0}
                />
              )}
            </Answer>
          )
        }
      </Answer>
    </Page>
  )
}

/** The choice of the value of a point: dragged or typed, it changes the plans without a request. */
function PointValue({ of }: { of: Draft }) {
  const above = POINT_VALUES.findIndex((value) => value >= of.value)
  return (
    <div className="choices slides">
      <label>
        Value of a point in USD
        <input
          inputMode="decimal"
          size={9}
          maxLength={30}
          value={of.text}
          onChange={({ target }) => of.set(target.value)}
          aria-invalid={!of.isValid || undefined}
          aria-describedby="point-hint"
        />
      </label>
      <input
        type="range"
        className="slide"
        aria-label="Point value"
        aria-valuetext={`$${of.value}`}
        max={POINT_VALUES.length - 1}
        value={above < 0 ? POINT_VALUES.length - 1 : above}
        onChange={({ target }) => of.set(String(POINT_VALUES[target.valueAsNumber]))}
      />
      <small id="point-hint" className={of.isValid ? undefined : 'loss'}>
        {of.isValid
          ? 'Drag it, or type another value.'
          : `From 0 to ${MAX_POINT_USD}, such as 0.001: this is ${of.value}.`}
      </small>
    </div>
  )
}

const usualOf = (name: string) => (USUAL as Record<string, string | undefined>)[name] ?? ''

interface Plan {
  amountUsd: number
  days: number
  /** Says why the fields make no plan. */
  fault?: string
}

/** The plan that the address has, or why it has none. */
function planOf(url: UrlState, { assets }: PlanBasisQuery): Plan {
  const textOf = (name: keyof typeof USUAL) => url.get(name) ?? USUAL[name]
  const [amount, days] = (['amount', 'days'] as const).map((name) => decimalOf(textOf(name)))
  const none = (fault: string) => ({ amountUsd: 0, days: 1, fault })
  const address = url.get('token')
  const token = assets.nodes.find((one) => one.address === address)
  if (address && !token) return none(`No pool has the token “${address}”: choose one of the list.`)
  if (amount === undefined)
    return none(
      `“${textOf('amount')}” is not an amount: write it as 1000.5 or 1000,5, without a separator ` +
        'of thousands.',
    )
  if (amount <= 0) return none('An amount is above 0.')
  const isOfToken = url.get('unit') === 'token'
  if (isOfToken && !token) return none('Choose a token for an amount in tokens, or USD.')
  const price = isOfToken ? token?.price?.usd : 1
  if (price === undefined) return none('The token has no known price: give the amount in USD.')
  if (amount * price > MAX_USD) return none('An amount is at most $1,000,000,000,000,000.')
  if (days === undefined || !Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    return none(`Days are a whole number from 1 to ${MAX_DAYS}.`)
  return { amountUsd: amount * price, days }
}

interface PlansProps {
  sides: Side[]
  days: number
  /** The value of a point. */
  pointUsd: number
  board: PlanBasisQuery['leaderboard']
  /** The points that the wallet has already. */
  before: number
}

function Plans({ sides, days, pointUsd, board, before }: PlansProps) {
  const { offset = 0 } = usePage(ROWS)
  const isChosen = useChosenSide('deposit')
  const totalOf = (side: Side) => {
    const { points } = estimateOf(side)
    return points === null && pointUsd > 0 ? null : interestOf(side) + (points ?? 0) * pointUsd
  }
  const ranked = sides
    .filter(isChosen)
    .map((side) => ({ side, total: totalOf(side) }))
    .sort(byTotal)
    .map(({ side }) => side)
  const rankOf = (side: Side) => {
    const points = estimateOf(side).points
    return points === null || points + before === 0 ? null : rankWith(points + before, board)
  }
  const columns: Column<Side>[] = [
    sideColumn,
    {
      name: 'Interest',
      numeric: true,
      cell: (side) => <Num value={interestOf(side)} unit="usd" change="gain" />,
    },
    {
      name: 'Points',
      numeric: true,
      cell: (side) => <Num value={estimateOf(side).points} unit="points" />,
    },
    {
      name: 'Points per day',
      numeric: true,
      cell: (side) => <Num value={perDay(side, days)} unit="points" />,
    },
    {
      name: 'Interest and points',
      numeric: true,
      cell: (side) => <Num value={totalOf(side)} unit="usd" change="gain" />,
    },
    { name: 'Rank', numeric: true, cell: (side) => <PlannedRank rank={rankOf(side)} /> },
    { name: 'Multiplier', numeric: true, cell: ({ factor }) => <Factor factor={factor} /> },
    ...placeColumns,
  ]
  const best = ranked[0]
  if (sides.length === 0)
    return <Empty>No pool with a market is stored, so no rates are known.</Empty>
  return (
    <>
      {best && (
        <Facts>
          <Fact name="Best: interest and points">
            <Num value={totalOf(best)} unit="usd" change="gain" />
            <small>
              {best.isBorrowed ? 'borrow' : 'deposit'} {best.asset.symbol} in{' '}
              {best.pool.displayName}
            </small>
          </Fact>
          <Fact name="Points">
            <Num value={estimateOf(best).points} unit="points" />
          </Fact>
          <Fact name="Points per day">
            <Num value={perDay(best, days)} unit="points" />
          </Fact>
          <Fact name="Rank">
            <PlannedRank rank={rankOf(best)} />
            <small>
              of <Num value={board.totalCount} unit="count" />
            </small>
          </Fact>
        </Facts>
      )}
      <PagedTable
        caption="Plans"
        columns={columns}
        list={{ nodes: ranked.slice(offset, offset + ROWS), totalCount: ranked.length }}
        rows={ROWS}
        rowKey={({ key }) => key}
        empty={<Empty>No pool has this side.</Empty>}
      />
      <p className="lede">
        Rates and rules change, and others earn meanwhile. Borrowing needs collateral. The{' '}
        <Link href="/rules">rules</Link> say what earns points.
      </p>
    </>
  )
}

/** True for a side whose market is stored. */
const isEstimated = (side: PoolSide<PlanSideFragment>): side is Side => side.market !== null

const estimateOf = ({ isBorrowed, market }: Side) => (isBorrowed ? market.debt : market.supply)

/** The interest that a side earns, or that a borrower owes, as a negative number. */
const interestOf = (side: Side) => estimateOf(side).interestUsd * (side.isBorrowed ? -1 : 1)

function perDay(side: Side, days: number): number | null {
  const { points } = estimateOf(side)
  return points === null ? null : points / days
}

interface Total {
  side: Side
  total: number | null
}

/** Most USD first, then most points. Unknown numbers come last. */
const byTotal = (one: Total, other: Total) =>
  (other.total ?? Number.NEGATIVE_INFINITY) - (one.total ?? Number.NEGATIVE_INFINITY) ||
  (estimateOf(other.side).points ?? -1) - (estimateOf(one.side).points ?? -1)

/** The rank that points have: the one after all wallets with more. Infinite below those read. */
function rankWith(points: number, { nodes, totalCount }: PlanBasisQuery['leaderboard']): number {
  const more = nodes.filter((one) => one.points > points).length
  return more === nodes.length && more < totalCount ? Number.POSITIVE_INFINITY : more + 1
}

function PlannedRank({ rank }: { rank: number | null }) {
  if (rank === Number.POSITIVE_INFINITY) return <small>after 1,000</small>
  return <Num value={rank} unit="count" />
}
