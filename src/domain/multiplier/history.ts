import type { Reader } from '../../db/connect/reader.ts'
import { type Column, columnsOf } from '../../db/lists/column.ts'
import { many } from '../../db/lists/filter.ts'
import { type Listing, listing, rowOfEach, selectList } from '../../db/lists/listing.ts'
import { type MultiplierRevision, Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { announced } from './rule.ts'

const factor = (stored: string, dollars: string) =>
  ({
    sql: `t.${stored}`,
    type: 'float',
    nullable: true,
    description: `The factor for each dollar of ${dollars}. Null if removed.`,
    sort: true,
  }) as const

export const revisionColumns = columnsOf(Prisma.MultiplierRevisionScalarFieldEnum, {
  id: {
    type: 'bigint',
    field: 'recordId',
    description: "The revision's number, as a string. Later ones are larger.",
    sort: true,
  },
  poolAddress: { type: 'address', description: "The pool's address.", sort: 'POOL' },
  depositA: factor('deposit_token_a', 'asset A supplied'),
  depositB: factor('deposit_token_b', 'asset B supplied'),
  borrowA: factor('borrow_token_a', 'asset A borrowed'),
  borrowB: factor('borrow_token_b', 'asset B borrowed'),
  changedAt: {
    type: 'moment',
    description: "When the revision took effect: the multiplier's `updatedAt`.",
    filter: true,
  },
  recordedAt: { type: 'moment', description: 'When this gateway recorded the revision.', filter: true },
  changedBy: {
    type: 'text',
    description: "An admin token's name, `cli`, `import`, `sample` or a database role.",
    filter: true,
  },
  fromDate: { ...announced.fromDate, filter: true, sort: true },
  revokedAt: { ...announced.revokedAt, filter: true },
  revokedBy: announced.revokedBy,
})

/** SQL of whether a revision counted for a date, if no newer one did. */
const countsFor = (date: string) =>
  Prisma.raw(`(r.from_date IS NULL OR r.from_date <= ${date}) AND r.revoked_at IS NULL`)

const ofPool = (address: Column) => ({
  pools: many(address, 'Only revisions of one of these pools.'),
})

export const revisionListing: Listing<MultiplierRevision> = listing({
  name: 'multiplierRevisions',
  from: Prisma.sql`multiplier_revision t`,
  columns: revisionColumns,
  order: { id: 'DESC' },
  filters: ofPool(revisionColumns.poolAddress),
})

/** Reads revisions by their numbers. Null for an unknown one. */
export async function revisionsById(reader: Reader, ids: readonly bigint[]): Promise<(MultiplierRevision | null)[]> {
  const revisions = await reader.models.multiplierRevision.findMany({ where: { id: { in: [...ids] } } })
  return rowOfEach(ids, revisions, ({ id }) => id)
}

/** The FROM clause for `revisionColumns`: a pool's multiplier at a moment. No row if it had none. */
export const revisionAtSql = (pool: Prisma.Sql, moment: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM (SELECT * FROM multiplier_revision r WHERE r.pool_address = ${pool} AND r.changed_at <= ${moment}
      AND (r.from_date IS NULL OR r.from_date <= (${moment} AT TIME ZONE 'UTC')::date)
      AND (r.revoked_at IS NULL OR r.revoked_at > ${moment}) ORDER BY r.id DESC LIMIT 1) t WHERE t.deposit_token_a IS NOT NULL`

const pool = { sql: 'p.id', type: 'address' } as const

/** Lists the multipliers of all pools that had one at a moment, by the pool's address. */
export function revisionsAsOf(moment: Date): Listing<MultiplierRevision> {
  // The subselect hides the moment from the planner, which would read all revisions for each pool.
  const at = revisionAtSql(Prisma.sql`p.id`, Prisma.sql`(SELECT ${moment.toISOString()}::timestamptz)`)
  return {
    ...revisionListing,
    name: 'multiplierRevisionsAsOf',
    from: Prisma.sql`pool p CROSS JOIN LATERAL (SELECT t.* ${at}) t`,
    filters: { ...revisionListing.filters, ...ofPool(pool) },
    order: [{ column: 'p.id', field: 'poolAddress', type: 'address', direction: 'ASC' }],
  }
}

/** Reads each pool's multiplier as a run of a date used it: of its revisions up to `revision`. Null if it had none. */
export async function revisionsUpTo(
  reader: Reader,
  keys: readonly { poolAddress: string; revision: bigint; date: Date }[],
): Promise<(MultiplierRevision | null)[]> {
  const rows = await reader.$queryRaw<(MultiplierRevision & { ordinality: number })[]>`
    SELECT o.ordinality::int AS ordinality, found.*
    FROM unnest(${keys.map((one) => one.poolAddress)}::text[], ${keys.map((one) => String(one.revision))}::bigint[],
        ${keys.map((one) => isoDay(one.date))}::date[])
      WITH ORDINALITY AS o(pool, revision, date, ordinality)
    CROSS JOIN LATERAL (SELECT ${selectList(revisionColumns)} FROM (SELECT * FROM multiplier_revision r
      WHERE r.pool_address = o.pool AND r.id <= o.revision AND ${countsFor('o.date')} ORDER BY r.id DESC LIMIT 1) t) found`
  return inOrder(keys.length, rows)
}

/** Puts rows in the order of the input. Null for a pool without a multiplier, or whose multiplier was removed. */
function inOrder(length: number, rows: (MultiplierRevision & { ordinality: number })[]): (MultiplierRevision | null)[] {
  const byPool: (MultiplierRevision | null)[] = new Array(length).fill(null)
  for (const row of rows) if (row.depositA !== null) byPool[row.ordinality - 1] = row
  return byPool
}

/** All multipliers that a run `run` used: each pool's newest revision for its date, up to the run's. */
export const revisionsOfRun: Listing<MultiplierRevision> = {
  ...revisionListing,
  name: 'runMultipliers',
  from: Prisma.sql`run CROSS JOIN LATERAL (SELECT * FROM (SELECT DISTINCT ON (pool_address) * FROM multiplier_revision r
    WHERE id <= run.multiplier_revision AND ${countsFor('run.date')} ORDER BY pool_address, id DESC) newest
    WHERE deposit_token_a IS NOT NULL) t`,
  order: [{ column: 't.pool_address', field: 'poolAddress', type: 'address', direction: 'ASC' }],
}
