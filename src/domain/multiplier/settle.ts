import type { Pool } from 'pg'
import { inWrite, type Queryable } from '../../db/write.ts'
import { isoDay } from '../../time.ts'
import { COLUMNS, factorsOf, inForce, REPLACED } from './rule.ts'

/**
 * Makes the stored multipliers those of today, if they are not.
 * @returns the number of pools whose announcement has come
 */
export async function settleDue(pool: Pool, now: Date): Promise<number> {
  const today = isoDay(now)
  const { rowCount } = await pool.query(`${UNSETTLED} LIMIT 1`, [today])
  if (rowCount === 0) return 0
  return inWrite({ pool }, async (writer) => {
    await writer.lock()
    return settleMultipliers(writer, today)
  })
}

/**
 * Makes the stored multipliers those that are in force today. They differ when the date of an
 * announcement has come.
 * @returns how many differed
 */
export async function settleMultipliers(client: Queryable, today: string): Promise<number> {
  const { rows } = await client.query<{ differs: boolean }>(
    `SELECT EXISTS (${UNSETTLED}) AS differs`,
    [today],
  )
  if (!rows[0]?.differs) return 0
  await client.query("SET LOCAL gateway.settling = 'on'")
  const { rowCount } = await client.query(
    `INSERT INTO multiplier (id, pool_address, ${COLUMNS}, created_at, updated_at)
     SELECT gen_random_uuid()::text, pool_address, ${COLUMNS}, since, since FROM (${UNSETTLED}) r
       WHERE deposit_token_a IS NOT NULL
     ${REPLACED}`,
    [today],
  )
  const { rowCount: removed } = await client.query(
    `DELETE FROM multiplier WHERE pool_address IN (
       SELECT pool_address FROM (${UNSETTLED}) r WHERE deposit_token_a IS NULL)`,
    [today],
  )
  await client.query("SET LOCAL gateway.settling = 'off'")
  return (rowCount ?? 0) + (removed ?? 0)
}

// The rules of $1 that the stored multipliers differ from.
const UNSETTLED = `SELECT p.id AS pool_address, ${factorsOf('r')},
    greatest(r.changed_at, r.from_date::timestamp AT TIME ZONE 'UTC') AS since
  FROM pool p LEFT JOIN multiplier m ON m.pool_address = p.id
  LEFT JOIN multiplier_rule r ON r.pool_address = p.id AND ${inForce('r', '$1::date')}
  WHERE (${factorsOf('m')})
    IS DISTINCT FROM (${factorsOf('r')})
  AND EXISTS (SELECT FROM multiplier_revision d
    WHERE d.pool_address = p.id AND d.from_date IS NOT NULL)`
