import { factorsOf, inForce } from '../multiplier/rule.ts'
import { REASON } from './reason.ts'

// A position that comes or goes changes all of its points.
const WHOLE = REASON.POSITION_ADDED | REASON.POSITION_REMOVED

// The reasons of a change `c`, with those that its row `r` of `rulesChanged` adds.
const REASONS = `c.reasons + CASE
    WHEN c.given THEN ${REASON.IMPORTED_POINTS}
    WHEN c.reasons & ${WHOLE} = 0 THEN coalesce(r.reasons, 0)
    ELSE 0 END`

/**
 * SQL of the ledger's entries of a group of changes `c`, each with its row `r` of `rulesChanged`.
 * They are one value: see the migration.
 */
export const ENTRIES = `string_agg(
    int8send((c.run::bigint << 32) | c.pool_key)
    || int8send(c.points_before * 256 + ${REASONS})
    || int8send(c.points_after), '')`

/** The columns by which a row of `rulesChanged` is joined. */
export const RULES_KEY = 'run, run_before, distribution_date, pool_key'

/**
 * A FROM item of the rules that differ from those of the run that stored the points before, for
 * each pool.
 */
export const rulesChanged = (changes: string): string => `(
  SELECT k.run, k.run_before, k.distribution_date, k.pool_key,
    CASE WHEN (${factorsOf('was')}) IS DISTINCT FROM (${factorsOf('m')})
      THEN ${REASON.MULTIPLIER} ELSE 0 END
    + CASE WHEN (o.base_deposit, o.base_borrow, o.base_protected_min_ltv)
        IS DISTINCT FROM (coalesce(b.deposit, n.base_deposit),
          coalesce(b.borrow, n.base_borrow), b.protected_min_ltv)
      THEN ${REASON.BASE_POINTS} ELSE 0 END AS reasons
  FROM (SELECT DISTINCT ${RULES_KEY} FROM ${changes} c WHERE NOT given) k
  JOIN pool p ON p.key = k.pool_key
  JOIN run n ON n.id = k.run
  JOIN run o ON o.id = k.run_before
  LEFT JOIN LATERAL (
    SELECT * FROM multiplier_revision r
    WHERE r.pool_address = p.id AND r.id <= o.multiplier_revision
      AND (r.from_date IS NULL OR r.from_date <= k.distribution_date) AND r.revoked_at IS NULL
    ORDER BY r.id DESC LIMIT 1) was ON true
  LEFT JOIN multiplier_rule m ON m.pool_address = p.id AND ${inForce('m', 'k.distribution_date')}
  LEFT JOIN base_points_rule b ON ${inForce('b', 'k.distribution_date')})`
