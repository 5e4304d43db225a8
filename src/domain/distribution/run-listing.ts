import type { Listing } from '../../db/listing.ts'
import type { Reader } from '../../db/reader.ts'
import { Prisma, type Run } from '../../generated/prisma/client.ts'

const COLUMNS = Prisma.sql`t.id, upper(t.kind::text) AS kind, t.date, upper(t.status::text) AS status,
  t.requested_by AS "requestedBy", t.started_at AS "startedAt", t.finished_at AS "finishedAt", t.error,
  t.base_deposit AS "baseDeposit", t.base_borrow AS "baseBorrow", t.multiplier_revision AS "multiplierRevision", t.sources,
  t.position_count_before AS "positionCountBefore", t.position_count_after AS "positionCountAfter",
  t.account_count_before AS "accountCountBefore", t.account_count_after AS "accountCountAfter",
  t.total_points_before AS "totalPointsBefore", t.total_points_after AS "totalPointsAfter"`

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
    SELECT ${COLUMNS} FROM run t WHERE t.id = ANY(${ids.map(String)}::bigint[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}
