import { type ActivityFilter, RecentActivityDocument, type RecentActivityQuery } from 'lending-graph-client'
import { activityColumns } from './activity-columns.tsx'
import { Answer, Empty } from './answer.tsx'
import { Section } from './page-frame.tsx'
import { type Column, Table } from './table.tsx'
import { useGraph } from './use-graph.ts'
import { WalletLink } from './values.tsx'

const ROWS = 8

type Row = RecentActivityQuery['activity']['nodes'][number]

const [time, ...others] = activityColumns as Column<Row>[]
const columns: Column<Row>[] = [
  ...(time ? [time] : []),
  { name: 'Wallet', cell: ({ user }) => <WalletLink address={user.address} /> },
  ...others,
]

/** The newest activity of all wallets, or of a filter. */
export function Newest({ where }: { where?: ActivityFilter }) {
  const variables = { first: ROWS, ...(where && { where }) }
  const activity = useGraph(RecentActivityDocument, variables)
  return (
    <Section id="newest" title="Newest activity" operation={{ query: RecentActivityDocument, variables }}>
      <Answer of={activity} rows={ROWS}>
        {({ activity: { nodes } }) =>
          nodes.length === 0 ? (
            <Empty>No activity is stored.</Empty>
          ) : (
            <Table
              caption="Newest activity"
              columns={columns}
              rows={nodes}
              rowKey={({ txHash, logIndex, kind }) => `${txHash} ${logIndex} ${kind}`}
            />
          )
        }
      </Answer>
    </Section>
  )
}
