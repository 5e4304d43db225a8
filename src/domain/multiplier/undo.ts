import type { ClientBase, Pool, PoolClient } from 'pg'
import { GatewayError } from '../../errors.ts'
import {
  applyMultipliers,
  changeMultipliers,
  FACTORS,
  type Factors,
  MAX_UPDATES,
  type MultiplierChange,
  type MultiplierDeps,
  readMultipliers,
} from './update.ts'

/** The newest revision of a pool or of all pools. */
interface Newest {
  id: string
  changedBy: string
  changedAt: Date
}

/**
 * Puts back the multipliers from before the newest change: of one pool, or of all pools that were changed together. That is a change too, with new revisions, so the history stays complete. Undoing it again restores the undone values.
 * @param requestedBy the actor in the multipliers' history
 * @throws NOT_FOUND for an unknown pool, or if there is nothing to undo; CONFLICT if another change comes first
 */
export async function undoMultipliers(
  deps: MultiplierDeps,
  poolAddress: string | undefined,
  requestedBy: string,
): Promise<MultiplierChange[]> {
  const seen = await newestRevision(deps.pool, poolAddress)
  return changeMultipliers(deps, requestedBy, async (client) => {
    const newest = await newestRevision(client, poolAddress)
    if (newest.id !== seen.id) throw changedMeanwhile(newest)
    const former = await formerFactors(client, newest.id, poolAddress)
    const pools = [...former.keys()]
    const before = await readMultipliers(client, pools)
    const updates = [...former].flatMap(([pool, factors]) => (factors ? [{ poolAddress: pool, ...factors }] : []))
    const removed = pools.filter((pool) => !former.get(pool))
    if (updates.length > 0) await applyMultipliers(client, updates)
    if (removed.length > 0) await client.query('DELETE FROM multiplier WHERE pool_address = ANY($1::text[])', [removed])
    return pools.map((pool) => ({ poolAddress: pool, before: before.get(pool), after: former.get(pool) }))
  })
}

async function newestRevision(client: Pool | ClientBase, pool: string | undefined): Promise<Newest> {
  const { rows } = await client.query<Newest>(
    `SELECT id, changed_by AS "changedBy", changed_at AS "changedAt" FROM multiplier_revision
     WHERE $1::text IS NULL OR pool_address = $1 ORDER BY id DESC LIMIT 1`,
    [pool],
  )
  const [newest] = rows
  if (newest) return newest
  if (pool === undefined) throw new GatewayError('NOT_FOUND', 'No multiplier was ever set: there is nothing to undo.')
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
    `${changedBy} changed the multipliers meanwhile, at ${changedAt.toISOString()}; nothing was undone. See the history, then undo again if that is right.`,
  )

/**
 * The factors from before a revision, by pool; undefined for a pool that had none. Without a pool also from before the revisions
 * of other pools that one change has recorded with it: they have the same time and actor, and no others are between them.
 */
async function formerFactors(
  client: PoolClient,
  newest: string,
  pool: string | undefined,
): Promise<Map<string, Factors | undefined>> {
  const { rows } = await client.query<{ pool: string; depositA: number | null } & Factors>(
    `WITH recent AS (
       SELECT r.id, r.pool_address, (r.changed_at, r.changed_by) = (n.changed_at, n.changed_by) AS together
       FROM multiplier_revision r JOIN multiplier_revision n ON n.id = $1
       WHERE r.id <= $1 AND ($2::text IS NULL OR r.id = $1) ORDER BY r.id DESC LIMIT ${MAX_UPDATES})
     SELECT undone.pool_address AS pool, former.* FROM recent undone
     LEFT JOIN LATERAL (SELECT ${FACTORS} FROM multiplier_revision f
       WHERE f.pool_address = undone.pool_address AND f.id < undone.id ORDER BY f.id DESC LIMIT 1) former ON true
     WHERE undone.id > coalesce((SELECT max(id) FROM recent WHERE NOT together), 0)
     ORDER BY undone.pool_address, undone.id DESC`,
    [newest, pool],
  )
  // A pool that one change has set twice goes back to before the first of them, which is the last row.
  return new Map(
    rows.map(({ pool: address, ...factors }) => [address, factors.depositA === null ? undefined : factors]),
  )
}
