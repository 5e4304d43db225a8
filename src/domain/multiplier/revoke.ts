import type { PoolClient } from 'pg'
import { GatewayError } from '../../errors.ts'
import { ACTOR, changeMultipliers, type MultiplierDeps } from './update.ts'

/**
 * Revokes an announcement: a revision whose date has not come. The rules are then as if it had not been made, and it stays in
 * the history.
 * @param id the revision's number
 * @param requestedBy the actor in the multipliers' history
 * @throws NOT_FOUND for an unknown number, CONFLICT for a revision that is in force, has been, or was revoked before
 */
export function revokeMultiplier(deps: MultiplierDeps, id: bigint, requestedBy: string): Promise<void> {
  return changeMultipliers(deps, requestedBy, async (client) => {
    const { rows } = await client.query<{ from: string | null; revokedBy: string | null; announced: boolean }>(
      `SELECT from_date::text AS "from", revoked_by AS "revokedBy", coalesce(from_date > $2, false) AS announced
       FROM multiplier_revision WHERE id = $1`,
      [id, deps.now().toISOString().slice(0, 10)],
    )
    const [revision] = rows
    if (!revision) throw new GatewayError('NOT_FOUND', `There is no revision ${id}; nothing was changed.`)
    if (revision.revokedBy !== null)
      throw new GatewayError('CONFLICT', `${revision.revokedBy} has revoked the revision ${id} before.`)
    if (!revision.announced)
      throw new GatewayError(
        'CONFLICT',
        `The revision ${id} has been in force since ${revision.from ?? 'the first date'}: set other multipliers instead.`,
      )
    await revokeRevisions(client, [String(id)])
  })
}

/** Marks revisions as revoked, in the caller's transaction. */
export async function revokeRevisions(client: PoolClient, ids: string[]): Promise<void> {
  await client.query(
    `UPDATE multiplier_revision SET revoked_at = statement_timestamp(), revoked_by = ${ACTOR} WHERE id = ANY($1::bigint[])`,
    [ids],
  )
}
