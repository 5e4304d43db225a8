import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'

const CHANGE = 't.points_after - t.points_before'

export const ledgerColumns = sqlColumns(Prisma.LedgerEntryScalarFieldEnum, {
  userAddress: { type: 'address' },
  runId: {
    type: 'bigint',
    field: 'runRecordId',
    description: 'The number of the run that changed the points: its `recordId`.',
    sort: 'RUN',
  },
  distributionDate: {
    type: 'date',
    field: 'date',
    description: 'The distribution date whose points changed.',
    filter: true,
    sort: true,
  },
  poolKey: { type: 'int' },
  pointsBefore: {
    ...pointsColumn('t.points_before'),
    description: "The user's points in the pool on that date before the run.",
  },
  pointsAfter: {
    ...pointsColumn('t.points_after'),
    description: "The user's points in the pool on that date after the run.",
  },
  pointsChange: {
    ...pointsColumn(CHANGE),
    description: 'The change in points: points after the run minus points before it.',
    sort: true,
  },
  reasons: { type: 'int' },
  /** The run that an entry of several runs is compared with. No stored entry has one. */
  since: { sql: 'NULL::bigint', type: 'bigint', nullable: true },
})

export type LedgerEntry = RowOf<typeof ledgerColumns>

/** How runs have changed an account's points, newest run first. */
export const ledger = listing({
  name: 'ledger',
  from: Prisma.sql`account_ledger t`,
  columns: ledgerColumns,
  order: { runId: 'DESC', distributionDate: 'DESC', poolKey: 'ASC' },
  filters: {
    runs: rowFilters.many(ledgerColumns.runId, 'Only entries of a run with one of these numbers.'),
    change: rowFilters.range(
      { sql: doubleOf(CHANGE), type: 'float' },
      'Only entries whose change in points is in this range.',
    ),
  },
})
