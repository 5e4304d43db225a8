import {
  type MarketRatesFragment,
  type PoolCardFragment,
  type PoolOrder,
  PoolsDocument,
} from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import { chainName } from '../chains.ts'
import { PoolFactors, useAnnounced } from '../multiplier-chips.tsx'
import { Page } from '../page-frame.tsx'
import {
  type Column,
  ColumnChoice,
  chosenColumns,
  PagedTable,
  type Sort,
  sortBy,
  usePage,
} from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, PoolLink } from '../values.tsx'

const ROWS = 25

const columns = (announced: ReturnType<typeof useAnnounced>): Column<PoolCardFragment>[] => [
  {
    name: 'Pool',
    heads: true,
    sortKey: 'NAME',
    cell: ({ address, displayName, assetA, assetB, chainId }) => (
      <>
        <PoolLink address={address} name={displayName} tokens={[assetA, assetB]} />
        <small className="below">{chainName(chainId)}</small>
      </>
    ),
  },
  {
    name: 'TVL',
    numeric: true,
    sortKey: 'TVL_USD',
    cell: ({ tvlUsd }) => <Num value={tvlUsd} unit="usd" />,
  },
  {
    name: 'Borrowed',
    numeric: true,
    sortKey: 'BORROWED_USD',
    cell: ({ borrowedUsd }) => <Num value={borrowedUsd} unit="usd" />,
  },
  {
    name: 'Liquidity',
    numeric: true,
    sortKey: 'LIQUIDITY_USD',
    optional: true,
    cell: ({ liquidityUsd }) => <Num value={liquidityUsd} unit="usd" />,
  },
  {
    name: 'Utilization',
    numeric: true,
    sortKey: 'UTILIZATION',
    cell: ({ utilization }) => <Num value={utilization} unit="percent" />,
  },
  rate('Deposit APR', 'DEPOSIT_APR_A', ({ marketA }) => marketA, 'depositApr'),
  rate('Deposit APR, 2nd token', 'DEPOSIT_APR_B', ({ marketB }) => marketB, 'depositApr'),
  rate('Borrow APR', 'BORROW_APR_A', ({ marketA }) => marketA, 'borrowApr'),
  rate('Borrow APR, 2nd token', 'BORROW_APR_B', ({ marketB }) => marketB, 'borrowApr'),
  {
    name: 'Points',
    numeric: true,
    sortKey: 'TOTAL_POINTS',
    cell: ({ totalPoints }) => <Num value={totalPoints} unit="points" />,
  },
  {
    name: 'Multipliers',
    sortKey: 'MULTIPLIER_DEPOSIT_A',
    cell: ({ address, multiplier, assetA, assetB }) => (
      <PoolFactors
        multiplier={multiplier}
        symbols={[assetA.symbol, assetB.symbol]}
        announced={announced.get(address)}
      />
    ),
  },
]

/** The rate of one side, by its token. */
function rate(
  name: string,
  sortKey: string,
  side: (pool: PoolCardFragment) => MarketRatesFragment | null,
  key: 'depositApr' | 'borrowApr',
): Column<PoolCardFragment> {
  const cell = (pool: PoolCardFragment) => (
    <>
      <Num value={side(pool)?.[key]} unit="percent" />
      <small className="line">{side(pool)?.asset.symbol}</small>
    </>
  )
  return { name, key: sortKey, numeric: true, sortKey, cell }
}

const SORTS = columns(new Map()).flatMap(({ sortKey }) =>
  sortKey ? [`${sortKey}_DESC`, `${sortKey}_ASC`] : [],
) as Sort<PoolOrder>[]

/** All pools, with their amounts, rates and multipliers. */
export function Pools() {
  const url = useUrlState()
  const sort = url.oneOf<Sort<PoolOrder>>('sort', ['TVL_USD_DESC', ...SORTS])
  const variables = { ...usePage(ROWS), ...sortBy(sort) }
  const pools = useGraph(PoolsDocument, variables)
  const all = columns(useAnnounced())
  return (
    <Page title="Pools" operation={{ query: PoolsDocument, variables }} rest="/pools/all">
      <p className="lede">
        Each pool has two tokens: what is supplied of one is the collateral of what is borrowed of
        the other.
      </p>
      <Answer of={pools} rows={ROWS}>
        {({ pools }) => (
          <>
            {pools.totalCount > 0 && <ColumnChoice columns={all} />}
            <PagedTable
              caption="Pools"
              columns={chosenColumns(all, url)}
              list={pools}
              rows={ROWS}
              rowKey={({ id }) => id}
              sort={sort}
              empty={<NothingStored of="pools" />}
            />
          </>
        )}
      </Answer>
    </Page>
  )
}
