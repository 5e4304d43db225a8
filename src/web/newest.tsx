import type { RecentActivityQuery } from 'lending-graph-client'
import { activityColumns } from './activity-columns.tsx'
import { Empty } from './answer.tsx'
import { type Column, Table } from './table.tsx'
import { WalletLink } from './values.tsx'

type Row = RecentActivityQuery['activity']['nodes'][number]

const [time, ...others] = activityColumns as Column<Row>[]
const columns: Column<Row>[] = [
  ...(time ? [time] : []),
  { name: 'Wallet', cell: ({ user }) => <WalletLink address={user.address} /> },
  ...others,
]

/** The newest activity, with the wallets. */
export const Newest = ({ activity }: { activity: readonly Row[] }) =>
  activity.length === 0 ? (
    <Empty>No activity is stored.</Empty>
  ) : (
    <Table
      caption="Newest activity"
      columns={columns}
      rows={activity}
      rowKey={({ txHash, logIndex, kind }) => `${txHash} ${logIndex} ${kind}`}
      cards
    />
  )
