import { Prisma } from '../../generated/prisma/client.ts'

/**
 * The FROM clause of the run `b` of a run's date before it. No row if that one did not compute all
 * points of the date, or for the first run of a date.
 */
export const runBeforeSql = (id: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM run r JOIN LATERAL (
      SELECT id, kind, lag(id) OVER (ORDER BY finished_at, id) IS NULL AS is_first FROM run b
      WHERE b.date = r.date AND b.status = 'succeeded'
        AND (b.finished_at, b.id) < (r.finished_at, r.id)
      ORDER BY finished_at DESC, id DESC LIMIT 1) b ON b.kind <> 'import' OR b.is_first
    WHERE r.id = ${id}`
