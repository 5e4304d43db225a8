import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import { isoDay } from '../../time.ts'
import { COLUMNS, FACTOR_COLUMNS, factorsOf, inForce } from './rule.ts'
import { ACTOR, type ChangeDeps, changeMultipliers, FACTORS, type Factors } from './update.ts'

// A rule that dating records: a revision of the store again, for the dates from its own on.
interface DatedRule extends Factors {
  poolAddress: string
  /** The number of the revision. Null if the pool has no multiplier until its first one. */
  revision: string | null
  /** YYYY-MM-DD. Null means every date before the next one. */
  from: string | null
}

interface Dating {
  rules: DatedRule[]
  /** The stored distribution dates that have other rules then, as YYYY-MM-DD, in order. */
  dates: string[]
}

interface DatingOptions {
  /**
   * Only this revision, which gets the date `from`. Without it, each one without a date gets the
   * day (UTC) on which it was made.
   */
  only?: { revision: bigint; from: Date } | undefined
  /** False for a preview, which stores nothing. */
  store: boolean
}

/**
 * Gives revisions of multipliers a first date. The revisions stay as they are, as runs have used
 * them; the rules that follow are recorded as one change, which `undoMultipliers` undoes. The first
 * revision of a pool counts for all dates before the next.
 * @throws NOT_FOUND for an unknown revision, CONFLICT for one that was revoked
 */
export function dateRevisions(
  deps: ChangeDeps,
  { only, store }: DatingOptions,
  requestedBy: string,
): Promise<Dating> {
  const from = only ? isoDay(only.from) : null
  const values = [only ? String(only.revision) : null, from]
  return changeMultipliers(deps, requestedBy, async (client) => {
    if (only) await assertRevision(client, only.revision)
    await client.query('SAVEPOINT dating')
    await dated.fill(client, DATED, values)
    await before.fill(client, rulesOfDates)
    await client.query(
      `INSERT INTO multiplier_revision (pool_address, ${COLUMNS}, changed_at, changed_by, from_date)
       SELECT pool_address, ${COLUMNS}, statement_timestamp(), ${ACTOR}, from_date FROM dated_rule
       ORDER BY pool_address, from_date NULLS FIRST`,
    )
    const { rows: rules } = await client.query<DatedRule>(
      `SELECT pool_address AS "poolAddress", nullif(revision, 0)::text AS revision,
        from_date::text AS "from", ${FACTORS}
       FROM dated_rule ORDER BY pool_address, from_date NULLS FIRST`,
    )
    const { rows: dates } = await client.query<{ date: string }>(
      `SELECT DISTINCT date::text AS date FROM (${rulesOfDates}) now
        JOIN rule_before b USING (pool_address, date)
       WHERE (${factorsOf('now')}) IS DISTINCT FROM (${factorsOf('b')}) ORDER BY 1`,
    )
    if (!store) await client.query('ROLLBACK TO SAVEPOINT dating')
    return { rules, dates: dates.map(({ date }) => date) }
  })
}

const factors = Object.fromEntries(FACTOR_COLUMNS.map((column) => [column, 'float8']))

// The rules of the pools that get one with a date.
const dated = new TemporaryTable<string>('dated_rule', {
  revision: 'bigint',
  pool_address: ADDRESS,
  ...factors,
  from_date: 'date',
})

// The rules of stored dates before that.
const before = new TemporaryTable<string>('rule_before', {
  pool_address: ADDRESS,
  date: 'date',
  ...factors,
})

// The rules of all stored dates in the pools whose revisions get a date.
const rulesOfDates = `SELECT p.pool_address, d.date, ${COLUMNS}
  FROM (SELECT DISTINCT pool_address FROM dated_rule) p
  CROSS JOIN distribution d
  LEFT JOIN (SELECT pool_address AS pool, from_date, until_date, ${COLUMNS} FROM multiplier_rule) m
    ON m.pool = p.pool_address AND ${inForce('m', 'd.date')}`

// The rules of pools with a revision that gets a date: of those that would then be in force for a
// date. A dating before records a revision without a date together with those that have one: the
// revisions up to it count no more.
const DATED = `WITH revision AS (
    SELECT r.*, r.id = min(r.id) OVER (PARTITION BY r.pool_address) AS is_first,
      EXISTS (
        SELECT FROM multiplier_revision d
        WHERE d.pool_address = r.pool_address AND d.changed_at = r.changed_at
          AND d.changed_by = r.changed_by AND d.from_date IS NOT NULL) AS is_base
    FROM multiplier_revision r WHERE r.revoked_at IS NULL),
  dated AS (
    SELECT id, pool_address, ${COLUMNS},
      CASE WHEN from_date IS NOT NULL AND $1::bigint IS NULL THEN from_date
        WHEN $1::bigint IS NOT NULL THEN CASE WHEN id = $1::bigint THEN $2::date ELSE from_date END
        WHEN is_first OR is_base THEN NULL
        ELSE (changed_at AT TIME ZONE 'UTC')::date END AS new_date,
      from_date
    FROM revision r
    WHERE id >= coalesce((
      SELECT max(b.id) FROM revision b
      WHERE b.pool_address = r.pool_address AND b.is_base AND b.from_date IS NULL), 0)),
  all_rules AS (
    SELECT id, pool_address, ${COLUMNS}, new_date FROM dated
    UNION ALL
    SELECT DISTINCT 0, pool_address,
      NULL::float8, NULL::float8, NULL::float8, NULL::float8, NULL::date FROM dated)
  SELECT id AS revision, pool_address, ${COLUMNS}, new_date AS from_date
  FROM (
    SELECT *, min(coalesce(new_date, date '-infinity')) OVER (
      PARTITION BY pool_address ORDER BY id DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
    FROM all_rules) r
  WHERE (until IS NULL OR until > coalesce(new_date, date '-infinity'))
    AND pool_address IN (SELECT pool_address FROM dated WHERE new_date IS DISTINCT FROM from_date)`

async function assertRevision(client: Queryable, id: bigint): Promise<void> {
  const { rows } = await client.query<{ revokedBy: string | null }>(
    'SELECT revoked_by AS "revokedBy" FROM multiplier_revision WHERE id = $1',
    [id],
  )
  if (!rows[0])
    throw new GatewayError('NOT_FOUND', `There is no revision ${id}; nothing was changed.`)
  const { revokedBy } = rows[0]
  if (revokedBy !== null)
    throw new GatewayError(
      'CONFLICT',
      `${revokedBy} has revoked the revision ${id}; nothing was changed.`,
    )
}
