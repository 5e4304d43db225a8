import { type MultiplierRowFragment, PoolsDocument } from 'lending-graph-client'
import { Answer } from './answer.tsx'
import { Factors } from './positions-table.tsx'
import { type Column, Table } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { Moment, PoolLink } from './values.tsx'

interface RevisionsTableProps<Row> {
  caption: string
  revisions: readonly Row[]
  /** More columns, after those that each revision has. */
  columns?: Column<Row>[]
}

/** Multipliers of pools: their factors, who set them and when. */
export function RevisionsTable<Row extends MultiplierRowFragment>(props: RevisionsTableProps<Row>) {
  const { caption, revisions, columns = [] } = props
  const addresses = [...new Set(revisions.map(({ poolAddress }) => poolAddress))]
  const pools = useGraph(PoolsDocument, { where: { addresses }, first: 50 })
  const named = new Map(pools.data?.pools.nodes.map((pool) => [pool.address, pool]))
  const all: Column<Row>[] = [
    {
      name: 'Pool',
      heads: true,
      cell: ({ poolAddress }) => {
        const pool = named.get(poolAddress)
        return (
          <PoolLink
            address={poolAddress}
            name={pool?.displayName}
            {...(pool && { tokens: [pool.assetA, pool.assetB] })}
          />
        )
      },
    },
    {
      name: 'Multipliers',
      cell: (multiplier) => {
        const pool = named.get(multiplier.poolAddress)
        return (
          <Factors
            multiplier={multiplier}
            symbols={[pool?.assetA.symbol ?? 'first token', pool?.assetB.symbol ?? 'second token']}
          />
        )
      },
    },
    { name: 'Set by', cell: ({ changedBy }) => changedBy },
    { name: 'Set at', cell: ({ changedAt }) => <Moment iso={changedAt} /> },
    ...columns,
  ]
  // Rows without the names of their pools have other heights.
  return (
    <Answer of={pools} rows={revisions.length}>
      {() => <Table caption={caption} columns={all} rows={revisions} rowKey={({ id }) => id} />}
    </Answer>
  )
}
