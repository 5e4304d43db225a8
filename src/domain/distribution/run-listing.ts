import type { Reader } from '../../db/connect/reader.ts'
import { type Listing, selectList } from '../../db/lists/listing.ts'
import { Prisma, type Run as StoredRun } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

/** A run as it is stored, but for its points, which are no millionths. */
export type Run = Omit<StoredRun, 'totalPointsBefore' | 'totalPointsAfter'> & {
  totalPointsBefore: number | null
  totalPointsAfter: number | null
}

const COLUMNS = {
  id: 't.id',
  kind: 'upper(t.kind::text)',
  date: 't.date',
  status: 'upper(t.status::text)',
  requestedBy: 't.requested_by',
  startedAt: 't.started_at',
  finishedAt: 't.finished_at',
  error: 't.error',
  baseDeposit: 't.base_deposit',
  baseBorrow: 't.base_borrow',
  multiplierRevision: 't.multiplier_revision',
  sources: 't.sources',
  positionCountBefore: 't.position_count_before',
  positionCountAfter: 't.position_count_after',
  accountCountBefore: 't.account_count_before',
  accountCountAfter: 't.account_count_after',
  totalPointsBefore: pointsOf('t.total_points_before'),
  totalPointsAfter: pointsOf('t.total_points_after'),
}

/** Runs, newest first. */
export const runListing: Listing<Run> = {
  name: 'runs',
  from: Prisma.sql`run t`,
  columns: COLUMNS,
  order: [{ column: 't.id', field: 'id', type: 'bigint', direction: 'DESC' }],
}

/** The runs with these ids, in their order; null where there is none. */
export async function runsById(reader: Reader, ids: readonly bigint[]): Promise<(Run | null)[]> {
  const rows = await reader.$queryRaw<Run[]>`
    SELECT ${selectList(COLUMNS)} FROM run t WHERE t.id = ANY(${ids.map(String)}::bigint[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}
