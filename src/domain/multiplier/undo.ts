import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import { revokeRevisions } from './revoke.ts'
import { COLUMNS } from './rule.ts'
import {
  ACTOR,
  applyMultipliers,
  type ChangeDeps,
  changeMultipliers,
  changesBy,
  FACTORS,
  type Factors,
  MAX_UPDATES,
  type MultiplierChange,
} from './update.ts'

interface Newest {
  id: string
  changedBy: string
  changedAt: Date
}

/**
 * Puts back the multipliers from before the newest change: of one pool, or of all pools that were
 * changed together. That is a change too, with new revisions, so the history stays complete.
 * Undoing it again restores the undone values. An announcement is revoked instead.
 * @throws NOT_FOUND for an unknown pool, or if there is nothing to undo; CONFLICT if another change
 * comes first
 */
export async function undoMultipliers(
  deps: ChangeDeps,
  poolAddress: string | undefined,
  requestedBy: string,
): Promise<MultiplierChange[]> {
  const seen = await newestRevision(deps.pool, poolAddress)
  return changeMultipliers(deps, requestedBy, async (client) => {
    const newest = await newestRevision(client, poolAddress)
    if (newest.id !== seen.id) throw changedMeanwhile(newest)
    const undone = await undoneRevisions(client, newest.id, poolAddress)
    const today = isoDay(deps.now())
    const changed = undone.map(({ pool, from }) => ({ poolAddress: pool, from: from ?? undefined }))
    return changesBy(client, changed, today, async () => {
      if (await haveDates(client, undone)) await undoDated(client, undone, today)
      else await undoUndated(client, undone)
    })
  })
}

// Announcements are revoked. The rules before the others are recorded once more.
async function undoDated(client: Queryable, undone: Undone[], today: string): Promise<void> {
  const announced = undone.filter(({ from }) => from !== null && from > today)
  await revokeRevisions(
    client,
    announced.flatMap(({ ids }) => ids),
  )
  await restate(
    client,
    undone.filter((one) => !announced.includes(one)),
  )
}

async function undoUndated(client: Queryable, undone: Undone[]): Promise<void> {
  const updates = undone.flatMap(({ pool, former }) =>
    former ? [{ poolAddress: pool, ...former }] : [],
  )
  const removed = undone.filter(({ former }) => !former).map(({ pool }) => pool)
  if (updates.length > 0) await applyMultipliers(client, updates)
  if (removed.length > 0)
    await client.query('DELETE FROM multiplier WHERE pool_address = ANY($1::text[])', [removed])
}

async function haveDates(client: Queryable, undone: Undone[]): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM multiplier_revision
     WHERE pool_address = ANY($1::text[]) AND from_date IS NOT NULL LIMIT 1`,
    [undone.map(({ pool }) => pool)],
  )
  return rowCount === 1
}

// Records the rules from before these revisions once more, for the dates that the revisions count
// for.
async function restate(client: Queryable, undone: Undone[]): Promise<void> {
  await client.query(
    `INSERT INTO multiplier_revision (pool_address, ${COLUMNS}, changed_at, changed_by, from_date)
     SELECT pool, ${COLUMNS}, statement_timestamp(), ${ACTOR}, nullif(since, date '-infinity')
     FROM (
       SELECT u.pool, ${COLUMNS},
         greatest(coalesce(r.from_date, date '-infinity'), u.first) AS since,
         min(coalesce(r.from_date, date '-infinity')) OVER (
           PARTITION BY u.pool ORDER BY r.id DESC
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until,
         u.first
       FROM (
         SELECT pool, id, coalesce(first, date '-infinity') AS first
         FROM unnest($1::text[], $2::bigint[], $3::date[]) AS u(pool, id, first)) u
       JOIN (
         SELECT id, pool_address, from_date, ${COLUMNS} FROM multiplier_revision
         WHERE revoked_at IS NULL
         UNION ALL SELECT 0, id, NULL, NULL, NULL, NULL, NULL FROM pool) r
         ON r.pool_address = u.pool AND r.id < u.id) r
     WHERE until IS NULL OR (until > since AND until > first) ORDER BY pool, since`,
    [
      undone.map(({ pool }) => pool),
      undone.map(({ ids }) => ids.reduce((least, id) => (BigInt(id) < BigInt(least) ? id : least))),
      undone.map(({ from }) => from),
    ],
  )
}

async function newestRevision(client: Queryable, pool: string | undefined): Promise<Newest> {
  const { rows } = await client.query<Newest>(
    `SELECT id, changed_by AS "changedBy", changed_at AS "changedAt" FROM multiplier_revision
     WHERE ($1::text IS NULL OR pool_address = $1) AND revoked_at IS NULL ORDER BY id DESC LIMIT 1`,
    [pool],
  )
  const [newest] = rows
  if (newest) return newest
  if (pool === undefined)
    throw new GatewayError('NOT_FOUND', 'No multiplier was ever set: there is nothing to undo.')
  const pools = await client.query('SELECT FROM pool WHERE id = $1', [pool])
  throw new GatewayError(
    'NOT_FOUND',
    pools.rows.length > 0
      ? `The pool ${pool} never had a multiplier: there is nothing to undo.`
      : `There is no pool ${pool}; nothing was changed.`,
  )
}

const changedMeanwhile = ({ changedBy, changedAt }: Newest) =>
  new GatewayError(
    'CONFLICT',
    `${changedBy} changed the multipliers meanwhile, at ${changedAt.toISOString()}; nothing ` +
      'was undone. See the history, then undo again if that is right.',
  )

interface Undone {
  pool: string
  ids: string[]
  /** The first date that they count for, as YYYY-MM-DD. Null means every date. */
  from: string | null
  /** The factors of the revision before them. Undefined if the pool had none. */
  former: Factors | undefined
}

// The newest revision of a pool. Without a pool also the revisions of other pools that one change
// has recorded with it: they have the same time and actor, and no others are between them.
async function undoneRevisions(
  client: Queryable,
  newest: string,
  pool: string | undefined,
): Promise<Undone[]> {
  const { rows } = await client.query<
    Omit<Undone, 'former'> & { depositA: number | null } & Factors
  >(
    `WITH recent AS (
       SELECT r.id, r.pool_address, r.from_date, (r.changed_at, r.changed_by) = (n.changed_at,
         n.changed_by) AS together
       FROM multiplier_revision r JOIN multiplier_revision n ON n.id = $1
       WHERE r.id <= $1 AND r.revoked_at IS NULL AND ($2::text IS NULL OR r.id = $1)
         ORDER BY r.id DESC LIMIT ${MAX_UPDATES}),
     undone AS (
       SELECT pool_address, array_agg(id::text) AS ids, min(id) AS first_id,
         nullif(min(coalesce(from_date, date '-infinity')), date '-infinity')::text AS "from"
       FROM recent WHERE id > coalesce((SELECT max(id) FROM recent WHERE NOT together), 0)
         GROUP BY pool_address)
     SELECT undone.pool_address AS pool, ids, "from", former.* FROM undone
     LEFT JOIN LATERAL (SELECT ${FACTORS} FROM multiplier_revision f
       WHERE f.pool_address = undone.pool_address AND f.id < undone.first_id
         AND f.revoked_at IS NULL
       ORDER BY f.id DESC LIMIT 1) former ON true
     ORDER BY undone.pool_address`,
    [newest, pool],
  )
  return rows.map(({ pool: address, ids, from, ...factors }) => ({
    pool: address,
    ids,
    from,
    former: factors.depositA === null ? undefined : factors,
  }))
}
