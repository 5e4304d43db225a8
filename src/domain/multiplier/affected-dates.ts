import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'

/** The distribution dates whose stored points a revision determines. */
export const affectedDatesColumns = sqlColumns({
  count: { sql: 'd.count', type: 'int', description: 'Number of dates.' },
  first: {
    sql: 'd.first',
    type: 'date',
    nullable: true,
    description: 'The first one. Null if there are none.',
  },
  last: {
    sql: 'd.last',
    type: 'date',
    nullable: true,
    description: 'The last one. Null if there are none.',
  },
})

export type AffectedDates = RowOf<typeof affectedDatesColumns>

/**
 * The FROM clause for `affectedDatesColumns`: the dates with positions in the revision's pool,
 * whose run used it. One row.
 */
export const affectedDatesSql = (id: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
    SELECT count(*)::int AS count, min(d.date) AS first, max(d.date) AS last
    FROM multiplier_revision r
    JOIN pool_day p ON p.pool_address = r.pool_address
    JOIN distribution d ON d.date = p.distribution_date
      AND (r.from_date IS NULL OR r.from_date <= d.date)
    JOIN run n ON n.id = d.run_id AND r.id <= n.multiplier_revision
    WHERE r.id = ${id} AND r.revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM multiplier_revision x WHERE x.pool_address = r.pool_address AND x.id > r.id
        AND x.id <= n.multiplier_revision
        AND (x.from_date IS NULL OR x.from_date <= d.date) AND x.revoked_at IS NULL)) d`
