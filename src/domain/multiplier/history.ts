import { type Column, type Listing, listing, rowFilters, sqlColumns } from 'pothos-sql'
import { rowOfEach } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { type MultiplierRevision, Prisma } from '../../generated/prisma/client.ts'
import { announced, factorColumns } from './rule.ts'

export const revisionColumns = sqlColumns(Prisma.MultiplierRevisionScalarFieldEnum, {
  id: {
    type: 'bigint',
    field: 'recordId',
    description: "The revision's number. Later ones are larger.",
    sort: true,
  },
  poolAddress: { type: 'address', description: "The pool's address.", sort: 'POOL' },
  ...factorColumns({ nullable: true, sort: true }, ' Null if removed.'),
  changedAt: {
    type: 'moment',
    description: "When the revision took effect: the multiplier's `updatedAt`.",
    filter: true,
  },
  recordedAt: {
    type: 'moment',
    description: 'When this gateway recorded the revision.',
    filter: true,
  },
  changedBy: {
    type: 'text',
    description: "An admin token's name, `cli`, `import`, `sample` or a database role.",
    filter: true,
  },
  fromDate: { ...announced.fromDate, filter: true, sort: true },
  revokedAt: { ...announced.revokedAt, filter: true },
  revokedBy: announced.revokedBy,
})

// SQL of whether a revision counted for a date, if no newer one did.
const countsFor = (date: Prisma.Sql) =>
  Prisma.sql`(r.from_date IS NULL OR r.from_date <= ${date}) AND r.revoked_at IS NULL`

const ofPool = (address: Column) => ({
  pools: rowFilters.many(address, 'Only revisions of one of these pools.'),
})

export const revisionListing: Listing<MultiplierRevision> = listing({
  name: 'multiplierRevisions',
  from: Prisma.sql`multiplier_revision t`,
  columns: revisionColumns,
  order: { id: 'DESC' },
  filters: ofPool(revisionColumns.poolAddress),
})

/** Reads revisions by their numbers. Null for an unknown one. */
export async function revisionsById(
  reader: Reader,
  ids: readonly bigint[],
): Promise<(MultiplierRevision | null)[]> {
  const revisions = await reader.models.multiplierRevision.findMany({
    where: { id: { in: [...ids] } },
  })
  return rowOfEach(ids, revisions, ({ id }) => id)
}

/**
 * The FROM clause for `revisionColumns`: a pool's multiplier at a moment. No row if it had none.
 */
export const revisionAtSql = (pool: Prisma.Sql, moment: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM (
      SELECT * FROM multiplier_revision r
      WHERE r.pool_address = ${pool} AND r.changed_at <= ${moment}
        AND (r.from_date IS NULL OR r.from_date <= (${moment} AT TIME ZONE 'UTC')::date)
        AND (r.revoked_at IS NULL OR r.revoked_at > ${moment})
      ORDER BY r.id DESC LIMIT 1) t
    WHERE t.deposit_token_a IS NOT NULL`

const pool = { sql: 'p.id', type: 'address' } as const

/** Lists the multipliers of all pools that had one at a moment, by the pool's address. */
export function revisionsAsOf(moment: Date): Listing<MultiplierRevision> {
  // The subselect hides the moment from the planner, which would read all revisions for each pool.
  const at = revisionAtSql(
    Prisma.sql`p.id`,
    Prisma.sql`(SELECT ${moment.toISOString()}::timestamptz)`,
  )
  return {
    ...revisionListing,
    name: 'multiplierRevisionsAsOf',
    from: Prisma.sql`pool p CROSS JOIN LATERAL (SELECT t.* ${at}) t`,
    filters: { ...revisionListing.filters, ...ofPool(pool) },
    order: [{ column: 'p.id', field: 'poolAddress', type: 'address', direction: 'ASC' }],
  }
}

/**
 * The FROM clause for `revisionColumns`: a pool's multiplier as a run of a date used it. No row if
 * it had none.
 */
export const revisionUsedSql = (pool: Prisma.Sql, run: Prisma.Sql, date: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM run
    CROSS JOIN LATERAL (
      SELECT * FROM multiplier_revision r
      WHERE r.pool_address = ${pool} AND r.id <= run.multiplier_revision AND ${countsFor(date)}
      ORDER BY r.id DESC LIMIT 1) t
    WHERE run.id = ${run} AND t.deposit_token_a IS NOT NULL`

/**
 * All multipliers that a run `run` used: each pool's newest revision for its date, up to the run's.
 */
export const revisionsOfRun: Listing<MultiplierRevision> = {
  ...revisionListing,
  name: 'runMultipliers',
  from: Prisma.sql`run
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT DISTINCT ON (pool_address) * FROM multiplier_revision r
        WHERE id <= run.multiplier_revision AND ${countsFor(Prisma.sql`run.date`)}
        ORDER BY pool_address, id DESC) newest
      WHERE deposit_token_a IS NOT NULL) t`,
  order: [{ column: 't.pool_address', field: 'poolAddress', type: 'address', direction: 'ASC' }],
}
