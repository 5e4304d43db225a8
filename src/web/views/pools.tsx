import {
  PoolChoicesDocument,
  type PoolFilter,
  type PoolOrder,
  PoolSidesDocument,
  type PoolSidesQuery,
} from 'lending-graph-client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Answer, Empty, NothingStored } from '../answer.tsx'
import { chainName } from '../chains.ts'
import type { Unit } from '../format.ts'
import { TokenIcons } from '../identity.tsx'
import { Announced, Factor, useAnnounced } from '../multiplier-chips.tsx'
import { TokenSymbol } from '../name.tsx'
import { Page } from '../page-frame.tsx'
import { PlaceChoice, usePlaces } from '../place-choice.tsx'
import {
  type Column,
  ColumnChoice,
  chosenColumns,
  Pager,
  type Sort,
  SortChoice,
  sortBy,
  Table,
  usePage,
} from '../table.tsx'
import { type UrlState, useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, PoolLink } from '../values.tsx'

const ROWS = 20

type Pool = PoolSidesQuery['pools']['nodes'][number]

/** A line of the table: a pool, or one of its sides. */
interface Line {
  pool: Pool
  side?: 'A' | 'B'
}

const linesOf = (pool: Pool): Line[] => [{ pool }, { pool, side: 'A' }, { pool, side: 'B' }]

const marketOf = ({ pool, side }: Line) => (side === 'A' ? pool.marketA : pool.marketB)
const tokenOf = ({ pool, side }: Line) => (side === 'A' ? pool.assetA : pool.assetB)

const columns = (announced: ReturnType<typeof useAnnounced>): Column<Line>[] => [
  {
    name: 'Pool',
    heads: true,
    sortKey: 'NAME',
    cell: (line) =>
      line.side ? (
        <span className="named">
          <TokenIcons tokens={[tokenOf(line)]} /> <TokenSymbol token={tokenOf(line)} />
        </span>
      ) : (
        <PoolName pool={line.pool} announced={announced.get(line.pool.address)} />
      ),
  },
  amount('TVL', 'TVL_USD', 'tvlUsd'),
  amount('Borrowed', 'BORROWED_USD', 'borrowedUsd', { optional: true }),
  amount('Liquidity', 'LIQUIDITY_USD', 'liquidityUsd', { optional: true }),
  amount('Utilization', 'UTILIZATION', 'utilization', {}, 'percent'),
  rate('Deposit APR', 'BEST_DEPOSIT_APR', 'depositApr'),
  rate('Borrow APR', 'LOWEST_BORROW_APR', 'borrowApr'),
  boost('Supply boost', 'deposit'),
  boost('Borrow boost', 'borrow'),
  {
    name: 'Points',
    numeric: true,
    sortKey: 'TOTAL_POINTS',
    cell: ({ pool, side }) => !side && <Num value={pool.totalPoints} unit="points" />,
  },
]

const PoolName = ({
  pool: { address, displayName, assetA, assetB, chainId, multiplier },
  announced,
}: {
  pool: Pool
  announced: Parameters<typeof Announced>[0]['announced']
}) => (
  <>
    <PoolLink address={address} name={displayName} tokens={[assetA, assetB]} />{' '}
    <small>{chainName(chainId)}</small>
    <Announced
      multiplier={multiplier}
      symbols={[assetA.symbol, assetB.symbol]}
      announced={announced}
    />
  </>
)

/** A pool, and each of its sides. */
function amount(
  name: string,
  sortKey: PoolOrder,
  key: 'tvlUsd' | 'borrowedUsd' | 'liquidityUsd' | 'utilization',
  options: Partial<Column<Line>> = {},
  unit: Unit = 'usd',
): Column<Line> {
  const cell = (line: Line) => (
    <Num value={line.side ? marketOf(line)?.[key] : line.pool[key]} unit={unit} />
  )
  return { name, sortKey, numeric: true, cell, ...options }
}

/** A rate, which only a side has. */
function rate(name: string, sortKey: PoolOrder, key: 'depositApr' | 'borrowApr'): Column<Line> {
  const cell = (line: Line) => line.side && <Num value={marketOf(line)?.[key]} unit="percent" />
  return { name, sortKey, numeric: true, cell }
}

/** The multiplier of what is supplied or borrowed on a side. */
function boost(name: string, of: 'deposit' | 'borrow'): Column<Line> {
  const cell = ({ pool, side }: Line) =>
    side && <Factor value={pool.multiplier?.[`${of}${side}`]} />
  return { name, numeric: true, cell }
}

const SORTS = columns(new Map()).flatMap(({ sortKey }) =>
  sortKey ? [`${sortKey}_DESC`, `${sortKey}_ASC`] : [],
) as Sort<PoolOrder>[]

const RAISED = { gt: 1 }
/** Pools that raise the points of at least one side. */
const BOOSTED: PoolFilter[] = [
  { multiplierDepositA: RAISED },
  { multiplierDepositB: RAISED },
  { multiplierBorrowA: RAISED },
  { multiplierBorrowB: RAISED },
]

/** The filter that the address of the view chooses. */
function useFilters() {
  const url = useUrlState()
  const choices = useGraph(PoolChoicesDocument, {})
  const places = usePlaces(choices.data?.pools.nodes ?? [])
  const { chain, tokens } = places.chosen
  const isBoosted = url.get('boosted') === '1'
  const where: PoolFilter = {
    ...(chain !== undefined && { chainIds: [chain] }),
    ...(tokens.length > 0 && { assets: [...new Set(tokens.map(({ address }) => address))] }),
    ...(isBoosted && { OR: BOOSTED }),
  }
  const isWaiting = Boolean(url.get('chain') || url.get('token')) && !choices.data && !choices.error
  return { places, isBoosted, where, isWaiting, isFiltered: Object.keys(where).length > 0 }
}

type Filters = ReturnType<typeof useFilters>

/** All pools with both of their sides: amounts, rates and boosts. */
export function Pools() {
  const url = useUrlState()
  const sort = url.oneOf<Sort<PoolOrder>>('sort', ['TVL_USD_DESC', ...SORTS])
  const filters = useFilters()
  const { where, isFiltered, isWaiting } = filters
  const variables = { ...usePage(ROWS), ...sortBy(sort), ...(isFiltered && { where }) }
  const pools = useGraph(PoolSidesDocument, variables, { pause: isWaiting })
  const all = columns(useAnnounced())
  return (
    <Page ofNow title="Pools" operation={{ query: PoolSidesDocument, variables }} rest="/pools/all">
      <p className="lede">
        Each pool has two tokens: what is supplied of one is the collateral of what is borrowed of
        the other. <Link href={boostsLink(url)}>Boosts</Link> has the sides by points per $1,000.
      </p>
      <Choices filters={filters}>
        <SortChoice columns={all} sort={sort} />
      </Choices>
      <Answer of={pools} rows={ROWS}>
        {({ pools: { nodes, totalCount } }) => (
          <>
            {totalCount === 0 && isFiltered && (
              <Empty>
                No pool is like this. <Link href="/pools">Show all pools</Link>
              </Empty>
            )}
            {totalCount === 0 && !isFiltered && <NothingStored of="pools" />}
            {totalCount > 0 && (
              <>
                <ColumnChoice columns={all} />
                <Table
                  caption="Pools"
                  columns={chosenColumns(all, url)}
                  rows={nodes.flatMap(linesOf)}
                  rowKey={({ pool, side = '' }) => pool.id + side}
                  isPart={({ side }) => side !== undefined}
                  sort={sort}
                  whole={{ name: 'pools', arguments: variables }}
                  cards="facts"
                />
              </>
            )}
            <Pager label="pools" totalCount={totalCount} rows={ROWS} />
          </>
        )}
      </Answer>
    </Page>
  )
}

/** Leads to the boosts of the chain and token that are chosen. */
function boostsLink(url: UrlState): string {
  const chosen = ['chain', 'token'].flatMap((name) => {
    const value = url.get(name)
    return value ? [[name, value]] : []
  })
  return chosen.length > 0 ? `/boosts?${new URLSearchParams(chosen)}` : '/boosts'
}

function Choices({
  filters: { places, isBoosted },
  children,
}: {
  filters: Filters
  children: ReactNode
}) {
  const url = useUrlState()
  return (
    <div className="choices">
      <PlaceChoice of={places} />
      <nav className="choice" aria-label="Boosts">
        <Link href={url.link({ boosted: undefined })} aria-current={isBoosted ? undefined : 'true'}>
          All pools
        </Link>
        <Link href={url.link({ boosted: '1' })} aria-current={isBoosted ? 'true' : undefined}>
          Boosted
        </Link>
      </nav>
      {children}
    </div>
  )
}
