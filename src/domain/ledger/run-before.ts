import type { Reader } from '../../db/connect/reader.ts'

/**
 * Reads for each run the number of the run of its date before it, if that one computed all points of the date. Null for the
 * first run of a date, and after an import, which may have changed some positions alone.
 */
export async function runsBefore(reader: Reader, ids: readonly bigint[]): Promise<(bigint | null)[]> {
  const rows = await reader.$queryRaw<{ id: bigint; before: bigint | null }[]>`
    SELECT r.id, b.id AS before FROM run r LEFT JOIN LATERAL (
      SELECT id, kind, lag(id) OVER (ORDER BY finished_at, id) IS NULL AS is_first FROM run b
      WHERE b.date = r.date AND b.status = 'succeeded' AND (b.finished_at, b.id) < (r.finished_at, r.id)
      ORDER BY finished_at DESC, id DESC LIMIT 1) b ON b.kind <> 'import' OR b.is_first
    WHERE r.id = ANY(${ids.map(String)}::bigint[])`
  const byId = new Map(rows.map(({ id, before }) => [id, before]))
  return ids.map((id) => byId.get(id) ?? null)
}
