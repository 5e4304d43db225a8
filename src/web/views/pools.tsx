import { type PoolCardFragment, type PoolOrder, PoolsDocument } from 'lending-graph-client'
import { Answer, NothingStored } from '../answer.tsx'
import { Page } from '../page-frame.tsx'
import { PoolFactors } from '../positions-table.tsx'
import { type Column, Pager, Table } from '../table.tsx'
import { useUrlState } from '../url-state.ts'
import { useGraph } from '../use-graph.ts'
import { Num, PoolLink } from '../values.tsx'

const ROWS = 25

const columns: Column<PoolCardFragment>[] = [
  {
    name: 'Pool',
    heads: true,
    sortKey: 'NAME',
    cell: ({ address, displayName }) => <PoolLink address={address} name={displayName} />,
  },
  { name: 'TVL', numeric: true, sortKey: 'TVL_USD', cell: ({ tvlUsd }) => <Num value={tvlUsd} unit="usd" /> },
  {
    name: 'Borrowed',
    numeric: true,
    sortKey: 'BORROWED_USD',
    cell: ({ borrowedUsd }) => <Num value={borrowedUsd} unit="usd" />,
  },
  {
    name: 'Utilization',
    numeric: true,
    sortKey: 'UTILIZATION',
    cell: ({ utilization }) => <Num value={utilization} unit="percent" />,
  },
  {
    name: 'Deposit APR, A',
    numeric: true,
    sortKey: 'DEPOSIT_RATE_A',
    cell: ({ marketA }) => <Num value={marketA?.depositRate} unit="percent" />,
  },
  {
    name: 'Deposit APR, B',
    numeric: true,
    sortKey: 'DEPOSIT_RATE_B',
    cell: ({ marketB }) => <Num value={marketB?.depositRate} unit="percent" />,
  },
  {
    name: 'Borrow APR, A',
    numeric: true,
    sortKey: 'BORROW_RATE_A',
    cell: ({ marketA }) => <Num value={marketA?.borrowRate} unit="percent" />,
  },
  {
    name: 'Borrow APR, B',
    numeric: true,
    sortKey: 'BORROW_RATE_B',
    cell: ({ marketB }) => <Num value={marketB?.borrowRate} unit="percent" />,
  },
  { name: 'Points', numeric: true, sortKey: 'POINTS', cell: ({ points }) => <Num value={points} unit="points" /> },
  {
    name: 'Multipliers',
    sortKey: 'MULTIPLIER_DEPOSIT_A',
    cell: ({ multiplier }) => <PoolFactors multiplier={multiplier} />,
  },
]
const SORTS = columns.flatMap(({ sortKey }) => (sortKey ? [`${sortKey}_DESC`, `${sortKey}_ASC`] : [])) as PoolOrder[]

/** All pools, with their amounts, rates and multipliers. */
export function Pools() {
  const url = useUrlState()
  const sort = url.oneOf<PoolOrder>('sort', ['TVL_USD_DESC', ...SORTS])
  const after = url.get('after')
  const variables = { first: ROWS, orderBy: [sort], ...(after && { after }) }
  const pools = useGraph(PoolsDocument, variables)
  return (
    <Page title="Pools" operation={{ query: PoolsDocument, variables }}>
      <p>
        Each pool has two sides, A and B: what is supplied on one is the collateral of what is borrowed on the other.
      </p>
      <Answer of={pools} rows={ROWS}>
        {({ pools: { nodes, totalCount, pageInfo } }) =>
          totalCount === 0 ? (
            <NothingStored of="pools" />
          ) : (
            <>
              <Table caption="Pools" columns={columns} rows={nodes} rowKey={({ id }) => id} sort={sort} />
              <Pager label="pools" pageInfo={pageInfo} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
