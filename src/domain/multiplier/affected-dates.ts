import type { Reader } from '../../db/connect/reader.ts'

/** The distribution dates whose stored points a revision determines. */
export interface AffectedDates {
  count: number
  /** Midnight UTC. Null if there are none. */
  first: Date | null
  last: Date | null
}

/** Reads the dates that each revision affects: those with positions in its pool, whose run used it. */
export async function affectedDates(reader: Reader, ids: readonly bigint[]): Promise<AffectedDates[]> {
  const rows = await reader.$queryRaw<(AffectedDates & { id: bigint })[]>`
    SELECT r.id, count(*)::int AS count, min(d.date) AS first, max(d.date) AS last
    FROM multiplier_revision r
    JOIN pool_day p ON p.pool_address = r.pool_address
    JOIN distribution d ON d.date = p.distribution_date AND (r.from_date IS NULL OR r.from_date <= d.date)
    JOIN run n ON n.id = d.run_id AND r.id <= n.multiplier_revision
    WHERE r.id = ANY(${ids.map(String)}::bigint[]) AND r.revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM multiplier_revision x WHERE x.pool_address = r.pool_address AND x.id > r.id AND x.id <= n.multiplier_revision
        AND (x.from_date IS NULL OR x.from_date <= d.date) AND x.revoked_at IS NULL)
    GROUP BY r.id`
  const byId = new Map(rows.map(({ id, ...dates }) => [id, dates]))
  return ids.map((id) => byId.get(id) ?? { count: 0, first: null, last: null })
}
