import type { Pool } from 'pg'
import { inWrite } from '../db/write.ts'
import { lastDate } from '../domain/position/filter.ts'
import { healthFactorSql, joinedThreshold, withMarkets } from '../domain/position/health.ts'
import { Prisma } from '../generated/prisma/client.ts'

// A health factor recovers when it is above its value by this factor, so that it does not flap.
const RECOVERED = 1.02

// The lowest health factor of each watched wallet by chain, on the newest date, and whether one is
// unknown.
const HEALTH = Prisma.sql`
  SELECT t.wallet, t.chain_id, min(t.health) AS value,
    bool_or(t.health IS NULL AND t.owes) AS is_unknown
  FROM (
    SELECT t.user_address AS wallet, u.chain_id,
      ${Prisma.raw(healthFactorSql(joinedThreshold))} AS health,
      greatest(t.a_borrowed_amount, t.b_borrowed_amount) > 0 AS owes
    FROM ${withMarkets(Prisma.sql`pool u`, lastDate())}
    JOIN stored_position t ON t.pool_key = u.key AND t.distribution_date = ${lastDate()}
    WHERE t.user_address IN (SELECT wallet FROM hook_watch WHERE event = 'wallet.health') OFFSET 0) t
  GROUP BY t.wallet, t.chain_id`

// Watched wallets with their value now, and whether it passes the one that matters.
const LOOKED = Prisma.sql`
  SELECT w.*, CASE WHEN w.value < w.threshold THEN true WHEN w.is_unknown THEN w.passed
    ELSE coalesce(w.passed AND w.value < w.threshold * ${RECOVERED}::float8, false) END AS passes
  FROM (
    SELECT w.*, h.chain_ids, min(v.value) AS value, bool_or(v.is_unknown) AS is_unknown
    FROM hook_watch w JOIN hook h ON h.id = w.hook_id
    LEFT JOIN health v
      ON v.wallet = w.wallet AND coalesce(h.chain_ids @> to_jsonb(v.chain_id), true)
    WHERE w.event = 'wallet.health' GROUP BY w.hook_id, w.event, w.wallet, h.id) w
  UNION ALL
  SELECT w.*, NULL, a.rank, false, coalesce(a.rank <= w.threshold, false)
  FROM hook_watch w LEFT JOIN account a ON a.user_address = w.wallet WHERE w.event = 'wallet.rank'
  UNION ALL
  SELECT w.*, NULL, a.points / 1000000.0, false, coalesce(a.points / 1000000.0 >= w.threshold, false)
  FROM hook_watch w LEFT JOIN account a ON a.user_address = w.wallet
  WHERE w.event = 'wallet.points'`

// At the first look a low health factor is sent, but no rank and no points.
const statement = (now: Date) => Prisma.sql`
  WITH health AS MATERIALIZED (${HEALTH}), looked AS MATERIALIZED (${LOOKED}), changed AS (
    UPDATE hook_watch w SET passed = l.passes FROM looked l
    WHERE (w.hook_id, w.event, w.wallet) = (l.hook_id, l.event, l.wallet)
      AND l.passes IS DISTINCT FROM w.passed
    RETURNING l.*)
  INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
  SELECT hook_id, event, wallet, jsonb_build_object('wallet', wallet, 'date', ${lastDate()},
    'value', value, 'threshold', threshold, 'passed', passes)
    || CASE WHEN chain_ids IS NULL THEN '{}' ELSE jsonb_build_object('chainIds', chain_ids) END,
    ${now}::timestamptz
  FROM changed WHERE passed IS NOT NULL OR (event = 'wallet.health' AND passes)
  ORDER BY wallet, event, hook_id`

/**
 * Looks at all watched wallets, and notes those whose value has passed the one that matters since
 * the last look, for their hooks. Gateways look one after another.
 * @returns how many were noted
 */
export function lookAtWallets(pool: Pool, now: Date): Promise<number> {
  return inWrite({ pool }, async (writer) => {
    await writer.query('LOCK TABLE hook_watch IN SHARE ROW EXCLUSIVE MODE')
    // Postgres expects few rows of the newest date until its statistics know it.
    await writer.query('SET LOCAL enable_nestloop = off')
    const { text, values } = statement(now)
    return (await writer.query(text, values)).rowCount ?? 0
  })
}

/**
 * A mark that differs when the values of watched wallets may have changed. Undefined if no wallet is
 * watched.
 */
export async function readState(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ state: string }>(
    `SELECT concat((SELECT sum(version) FROM data_version), ' ', newest) AS state
     FROM (SELECT max(hook_id) AS newest FROM hook_watch) w WHERE newest IS NOT NULL`,
  )
  return rows[0]?.state
}
