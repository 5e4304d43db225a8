import { type Listing, listing, rowFilters, sqlColumns } from 'pothos-sql'
import { rowOfEach } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { Prisma, type Run as StoredRun } from '../../generated/prisma/client.ts'
import { fromMillionths, pointsOf } from '../points/millionths.ts'

/** A stored run, with points instead of millionths. */
export type RunRow = Omit<StoredRun, 'totalPointsBefore' | 'totalPointsAfter'> & {
  totalPointsBefore: number | null
  totalPointsAfter: number | null
}

const points = (millionths: string) =>
  ({ sql: pointsOf(millionths), type: 'decimal', nullable: true }) as const

export const runColumns = sqlColumns(Prisma.RunScalarFieldEnum, {
  id: {
    type: 'bigint',
    field: 'recordId',
    description: "The run's number. Later runs have larger numbers.",
    sort: true,
  },
  kind: { sql: 'upper(t.kind::text)', type: 'text', description: 'The kind of run.' },
  date: {
    type: 'date',
    nullable: true,
    description: 'The date. Null for an update, and for an import that changed no date.',
    filter: true,
    sort: true,
  },
  leg: {
    type: 'text',
    nullable: true,
    description: 'The records that an update fetched, as `cash-flows`. Null for others.',
    filter: 'legs',
  },
  status: { sql: 'upper(t.status::text)', type: 'text', description: 'The status of the run.' },
  requestedBy: {
    type: 'text',
    description: "An admin token's name, `cli`, `schedule` (the daily job) or `sample`.",
    filter: true,
  },
  startedAt: { type: 'moment', description: 'When the run started.', filter: true },
  finishedAt: {
    type: 'moment',
    nullable: true,
    description: 'When the run ended. Null while it is in progress.',
    filter: true,
  },
  error: { type: 'text', nullable: true, description: 'Why the run failed. Null unless it did.' },
  baseDeposit: {
    type: 'float',
    field: 'basePointsDeposit',
    description: 'Base points per day and dollar supplied, as used by the run.',
  },
  baseBorrow: {
    type: 'float',
    field: 'basePointsBorrow',
    description: 'Base points per day and dollar borrowed, as used by the run.',
  },
  baseProtectedMinLtv: {
    type: 'float',
    nullable: true,
    field: 'basePointsProtectedMinLtv',
    description:
      'The least LTV at which protected supply earned points, as used by the run. Null: any ' +
      'debt was enough.',
  },
  reopened: {
    type: 'text',
    nullable: true,
    description: 'The season whose final board the run has changed. Null if none.',
  },
  multiplierRevision: { type: 'bigint', nullable: true },
  sources: {},
  positionCountBefore: { type: 'int', nullable: true },
  positionCountAfter: { type: 'int', nullable: true },
  accountCountBefore: { type: 'int', nullable: true },
  accountCountAfter: { type: 'int', nullable: true },
  totalPointsBefore: points('t.total_points_before'),
  totalPointsAfter: points('t.total_points_after'),
  ledgerEntries: {
    type: 'int',
    nullable: true,
    field: 'ledgerEntryCount',
    description:
      'Number of ledger entries that it wrote. Null if it wrote none, or they are not stored.',
  },
  ledgerUsers: {
    type: 'int',
    nullable: true,
    field: 'changedUserCount',
    description:
      'Number of users whose points it changed, by its ledger entries. Null as `ledgerEntryCount`.',
  },
  digest: {
    type: 'text',
    nullable: true,
    description:
      'The digest of the distribution after the run, as in `Distribution.digest`. Null if the ' +
      'run stored nothing, or ended before there were digests.',
  },
})

export const runListing: Listing<RunRow> = listing({
  name: 'runs',
  from: Prisma.sql`run t`,
  columns: runColumns,
  order: { id: 'DESC' },
  filters: {
    kinds: rowFilters.many(runColumns.kind, 'Only runs of one of these kinds.'),
    statuses: rowFilters.many(runColumns.status, 'Only runs with one of these statuses.'),
  },
})

/** Reads runs by their numbers. Null for an unknown one. */
export async function runsById(reader: Reader, ids: readonly bigint[]): Promise<(RunRow | null)[]> {
  const stored = await reader.models.run.findMany({ where: { id: { in: [...ids] } } })
  const runs = stored.map((run) => ({
    ...run,
    totalPointsBefore:
      run.totalPointsBefore === null ? null : fromMillionths(run.totalPointsBefore),
    totalPointsAfter: run.totalPointsAfter === null ? null : fromMillionths(run.totalPointsAfter),
  }))
  return rowOfEach(ids, runs, ({ id }) => id)
}

/** The columns of the receipts of a run, over the elements `r` of its sources. */
export const receiptColumns = sqlColumns({
  kind: { sql: "r.receipt->>'kind'", type: 'text' },
  name: { sql: "r.receipt->>'name'", type: 'text' },
  digest: { sql: "r.receipt->>'digest'", type: 'text' },
  count: { sql: "(r.receipt->>'count')::int", type: 'int' },
  block: { sql: "r.receipt->>'block'", type: 'text', nullable: true },
  time: { sql: "(r.receipt->>'time')::timestamptz", type: 'moment', nullable: true },
  fetchedAt: { sql: "(r.receipt->>'fetchedAt')::timestamptz", type: 'moment' },
})

/** The FROM clause for `receiptColumns`. */
export const receiptsFrom = (sources: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM jsonb_array_elements(${sources}) WITH ORDINALITY AS r(receipt, number)
    ORDER BY r.number`
