import type { LatestSnapshotsQuery } from 'lending-graph-client'
import { Empty } from './answer.tsx'
import { EntityLink } from './entity-link.tsx'
import { type Column, Table } from './table.tsx'
import { Moment, Num } from './values.tsx'

type Snapshot = LatestSnapshotsQuery['user']['latestSnapshots'][number]

const columns: Column<Snapshot>[] = [
  {
    name: 'Market or vault',
    heads: true,
    cell: ({ entity, entityAddress, positionId }) => (
      <>
        <EntityLink entity={entity} address={entityAddress} />
        {positionId !== 'main' && <small> {positionId}</small>}
      </>
    ),
  },
  amount('Supplied', 'nothing supplied', (row) =>
    row.entityType === 'MARKET' ? row.supplied.usd : 0,
  ),
  amount('Protected', 'nothing protected', ({ protected: amount }) => (amount ? amount.usd : 0)),
  amount('Borrowed', 'no debt', ({ borrowed }) => (borrowed ? borrowed.usd : 0)),
  amount('In vaults', 'no vault', (row) => (row.entityType === 'VAULT' ? row.supplied.usd : 0)),
  { name: 'Snapshot', cell: ({ time }) => <Moment iso={time} /> },
]

function amount(
  name: string,
  ifZero: string,
  of: (row: Snapshot) => number | null,
): Column<Snapshot> {
  return { name, numeric: true, cell: (row) => <Num value={of(row)} unit="usd" ifZero={ifZero} /> }
}

/** A closed position ends with a snapshot of zeros. */
const isOpen = (row: Snapshot) =>
  [row.supplied, row.protected, row.borrowed].some((amount) => amount && amount.raw !== '0')

/** A wallet's newest snapshots in markets and vaults: its worth is their sum. */
export function HoldingsTable({ snapshots }: { snapshots: readonly Snapshot[] }) {
  const open = snapshots.filter(isOpen)
  if (open.length === 0)
    return (
      <Empty>{snapshots.length === 0 ? 'No snapshots are stored.' : 'No open positions.'}</Empty>
    )
  const times = new Set(open.map(({ time }) => time))
  const [snapshot] = times.size === 1 ? times : []
  return (
    <>
      {snapshot && (
        <p className="lede">
          Snapshots of <Moment iso={snapshot} />
        </p>
      )}
      <Table
        caption="Holdings"
        columns={snapshot ? columns.filter(({ name }) => name !== 'Snapshot') : columns}
        rows={open}
        rowKey={({ id }) => id}
        cards="facts"
      />
    </>
  )
}
