import type { RevisionRowFragment } from 'lending-graph-client'
import type { WholeList } from './all-rows.tsx'
import { Factors, symbolsOf } from './multiplier-chips.tsx'
import { type Column, Table } from './table.tsx'
import { Moment, PoolLink } from './values.tsx'

interface RevisionsTableProps<Row> {
  caption: string
  revisions: readonly Row[]
  /** More columns, after those that each revision has. */
  columns?: Column<Row>[]
  whole?: WholeList
}

/** Multipliers of pools: their factors, who set them and when. */
export function RevisionsTable<Row extends RevisionRowFragment>(props: RevisionsTableProps<Row>) {
  const { caption, revisions, columns = [], whole } = props
  const all: Column<Row>[] = [
    {
      name: 'Pool',
      heads: true,
      cell: ({ poolAddress, pool }) => (
        <PoolLink
          address={poolAddress}
          name={pool?.displayName}
          {...(pool && { tokens: [pool.assetA, pool.assetB] })}
        />
      ),
    },
    {
      name: 'Multipliers',
      cell: (multiplier) => (
        <Factors multiplier={multiplier} symbols={symbolsOf(multiplier.pool)} />
      ),
    },
    { name: 'Set by', cell: ({ changedBy }) => changedBy },
    { name: 'Set at', cell: ({ changedAt }) => <Moment iso={changedAt} /> },
    ...columns,
  ]
  return (
    <Table caption={caption} columns={all} rows={revisions} rowKey={({ id }) => id} whole={whole} />
  )
}
