import type { ReceiptFragment, RunRowFragment } from 'lending-graph-client'
import { Link } from 'wouter'
import { brief } from './format.ts'
import { KIND, STATUS } from './run-words.ts'
import type { Column } from './table.tsx'
import { Moment, Num, Unknown } from './values.tsx'

/** The columns of runs: who computed what and when. */
export const runColumns: Column<RunRowFragment>[] = [
  {
    name: 'Run',
    heads: true,
    cell: ({ recordId }) => <Link href={`/runs/${recordId}`}>{recordId}</Link>,
  },
  { name: 'Kind', cell: ({ kind }) => KIND[kind] },
  {
    name: 'Status',
    cell: ({ status, error }) => (error ? `${STATUS[status]}: ${error}` : STATUS[status]),
  },
  { name: 'Requested by', cell: ({ requestedBy }) => requestedBy },
  { name: 'Started', cell: ({ startedAt }) => <Moment iso={startedAt} /> },
  {
    name: 'Points after it',
    numeric: true,
    cell: ({ totalsAfter }) => <Num value={totalsAfter?.points} unit="points" />,
  },
]

/** The columns of what a run fetched. */
export const sourceColumns: Column<ReceiptFragment>[] = [
  { name: 'Source', heads: true, cell: ({ name }) => name },
  { name: 'Kind', cell: ({ kind }) => kind.toLowerCase() },
  { name: 'Records', numeric: true, cell: ({ count }) => <Num value={count} unit="count" /> },
  { name: 'As of', cell: ({ time }) => (time ? <Moment iso={time} /> : <Unknown />) },
  { name: 'Fetched', cell: ({ fetchedAt }) => <Moment iso={fetchedAt} /> },
  {
    name: 'SHA-256',
    cell: ({ digest }) => (
      <span className="hex" title={digest}>
        {brief(digest)}
      </span>
    ),
  },
]
