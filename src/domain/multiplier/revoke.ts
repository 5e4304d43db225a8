import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import { ACTOR, type ChangeDeps, changeMultipliers } from './update.ts'

const TABLES = {
  multipliers: 'multiplier_revision',
  'base points': 'base_points_revision',
} as const

/**
 * Revokes an announcement: a revision whose date has not come. The rules are then as if it had not
 * been made, and it stays in the history.
 * @throws NOT_FOUND for an unknown number, CONFLICT for a revision that is in force, has been, or
 * was revoked before
 */
export const revokeMultiplier = (
  deps: ChangeDeps,
  id: bigint,
  requestedBy: string,
): Promise<void> => revoke('multipliers', deps, id, requestedBy)

/** The same for a revision of the base points. */
export const revokeBasePoints = (
  deps: ChangeDeps,
  id: bigint,
  requestedBy: string,
): Promise<void> => revoke('base points', deps, id, requestedBy)

function revoke(
  rules: keyof typeof TABLES,
  deps: ChangeDeps,
  id: bigint,
  requestedBy: string,
): Promise<void> {
  return changeMultipliers(deps, requestedBy, async (client) => {
    const { rows } = await client.query<{
      from: string | null
      revokedBy: string | null
      announced: boolean
    }>(
      `SELECT from_date::text AS "from", revoked_by AS "revokedBy",
        coalesce(from_date > $2, false) AS announced
       FROM ${TABLES[rules]} WHERE id = $1`,
      [id, isoDay(deps.now())],
    )
    const [revision] = rows
    if (!revision)
      throw new GatewayError('NOT_FOUND', `There is no revision ${id}; nothing was changed.`)
    if (revision.revokedBy !== null)
      throw new GatewayError(
        'CONFLICT',
        `${revision.revokedBy} has revoked the revision ${id} before.`,
      )
    if (!revision.announced)
      throw new GatewayError(
        'CONFLICT',
        `The revision ${id} has been in force since ${revision.from ?? 'the first date'}: set ` +
          `other ${rules} instead.`,
      )
    await revokeRevisions(client, [String(id)], TABLES[rules])
  })
}

/** Marks revisions as revoked, in the caller's transaction. */
export async function revokeRevisions(
  client: Queryable,
  ids: string[],
  table: string = TABLES.multipliers,
): Promise<void> {
  await client.query(
    `UPDATE ${table} SET revoked_at = statement_timestamp(), revoked_by = ${ACTOR}
     WHERE id = ANY($1::bigint[])`,
    [ids],
  )
}
