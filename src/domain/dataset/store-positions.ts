import type { Topology } from '../../db/topology/topology.ts'
import { REASON } from '../ledger/reason.ts'
import { inForce } from '../multiplier/rule.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'
import { columnOf, records } from './records.ts'

const { fields, key, besides = [] } = records.positions
const columnIn = (field: string) => columnOf(records.positions, field)
const TOKENS = ['aTokenAddress', 'aTokenSymbol', 'bTokenAddress', 'bTokenSymbol'].map(columnIn)
const PAIR = ['pool_address', ...TOKENS]
const AMOUNTS = Object.keys(fields)
  .filter((field) => field !== 'id' && !besides.includes(field) && !key.includes(field))
  .map(columnIn)
  .filter((column) => !TOKENS.includes(column))
/** The columns of a stored position that a record may change. */
const VALUES = ['id', 'pair_key', ...AMOUNTS, 'points_a', 'points_b', 'given']
const COLUMNS = ['user_address', 'distribution_date', 'pool_key', ...VALUES, 'run_id']

/**
 * A UUID derived from the natural key, for a position without an id. It begins with the date and
 * the user, so that positions of a user are neighbours in the order of ids.
 */
export const positionId = `(lpad(to_hex((s.distribution_date - date '2000-01-01') & 65535), 4, '0') || substr(s.user_address, 3, 8)
    || left(md5(s.user_address || ' ' || s.distribution_date || ' ' || s.pool_address), 20))::uuid::text`

const MISSING_PAIRS = `SELECT DISTINCT pool.key AS pool_key, ${PAIR.map((column) => `s.${column}`).join(', ')}
  FROM staged s JOIN pool ON pool.id = s.pool_address
  WHERE NOT EXISTS (SELECT FROM token_pair p WHERE ${PAIR.map((column) => `p.${column} = s.${column}`).join(' AND ')})`
const INTO_PAIRS = `INSERT INTO token_pair (pool_key, ${PAIR.join(', ')})`

/**
 * Statements that store the tokens of staged positions that are new. Citus inserts no rows of a
 * join of a temporary table into a table that each server has a copy of.
 */
export const storePairs = (topology: Topology): string[] =>
  topology.form({
    one: [`${INTO_PAIRS} ${MISSING_PAIRS}`],
    cluster: [
      `CREATE TEMP TABLE missing_pair ON COMMIT DROP AS ${MISSING_PAIRS}`,
      `${INTO_PAIRS} TABLE missing_pair`,
      'DROP TABLE missing_pair',
    ],
  })

const OF_DAY = 'old.user_address = s.user_address AND old.distribution_date = s.distribution_date'
/** The stored position of a record of a known date, for which the planner has statistics. */
const joinOld = (day: string) =>
  `LEFT JOIN stored_position old ON ${OF_DAY} AND old.distribution_date = ${day} AND old.pool_key = p.pool_key`
/**
 * The stored position of a record, by its user. While an import fills a table that has no
 * statistics yet, the planner would also read the whole table, or take the index of pools.
 */
const lookUpOld = `LEFT JOIN LATERAL (
        SELECT * FROM stored_position old WHERE ${OF_DAY} AND old.pool_key + 0 = p.pool_key OFFSET 0) old ON true`
const listed = (row: string, columns: string[]) =>
  columns.map((column) => `${row}.${column}`).join(', ')

/** How staged positions become stored ones. */
interface Storing {
  /**
   * SQL of whether the points were given, over the record `s` and the stored position `old`.
   * Without it the points of records are ignored.
   */
  given?: string
  /** SQL of the id of the run. */
  run: string
  /** The tables that these read in addition to `s`. */
  joins?: string
  /** SQL of the date, if all have the same. */
  day?: string
  /** True if stored positions without a difference are left as they are. */
  changed: boolean
  /** True if positions whose points change are noted: see `noteChanges`. */
  notes: boolean
}

const differing = (columns: string[]) =>
  `(${listed('old', columns)}) IS DISTINCT FROM (${listed('s', columns)})`
const PRICES = ['a_token_price', 'b_token_price']
const QUANTITIES = AMOUNTS.filter((column) => column.endsWith('_amount'))
/**
 * The reasons for which the points of a record `s` differ, as far as it and the stored position
 * `old` show them.
 */
const REASONS = `CASE WHEN old.id IS NULL THEN ${REASON.POSITION_ADDED} ELSE
        CASE WHEN ${differing(QUANTITIES)} THEN ${REASON.POSITION_CHANGED} ELSE 0 END
        + CASE WHEN ${differing(PRICES)} THEN ${REASON.PRICE} ELSE 0 END END`

/**
 * Notes the positions of `incoming` whose points change, unless their date is stored for the first
 * time.
 */
const NOTE = `INSERT INTO position_change SELECT user_address, distribution_date, pool_key, run_id, run_before,
    coalesce(points_before, 0), points_a + points_b, reasons, given OR given_before IS TRUE
  FROM incoming WHERE coalesce(points_before, 0) <> points_a + points_b AND distribution_date IN (SELECT date FROM distribution)`

/**
 * Selects the staged positions as they will be stored, with the id of the stored one.
 * @param old joins that one as `old`
 */
function incomingSql(
  basePoints: BasePoints,
  { given, run, joins = '' }: Storing,
  old: string,
): string {
  const { pointsA, pointsB } = pointsSql(basePoints, 's', 'm', 'b')
  const points = (side: 'a' | 'b', computed: string) =>
    `${given ? `coalesce(s.points_${side}, ${computed})` : computed} AS points_${side}`
  return `SELECT s.user_address, s.distribution_date, p.pool_key, coalesce(s.id, old.id, ${positionId}) AS id, p.key AS pair_key,
      ${listed('s', AMOUNTS)}, ${points('a', pointsA)}, ${points('b', pointsB)}, ${given ?? 'false'} AS given, (${run})::int AS run_id,
      old.id AS stored_id, old.points_a + old.points_b AS points_before, old.run_id AS run_before, old.given AS given_before,
      ${REASONS} AS reasons
    FROM staged s JOIN token_pair p USING (${PAIR.join(', ')}) ${joins}
    LEFT JOIN multiplier_rule m ON m.pool_address = s.pool_address AND ${inForce('m', 's.distribution_date')}
    LEFT JOIN base_points_rule b ON ${inForce('b', 's.distribution_date')} ${old}`
}

const differ = `(${listed('t', VALUES)}) IS DISTINCT FROM (${listed('s', VALUES)})`

const updateSql = ({ day }: Storing, incoming: string) =>
  `UPDATE stored_position t SET ${[...VALUES, 'run_id'].map((column) => `${column} = s.${column}`).join(', ')}
    FROM ${incoming} s WHERE t.id = s.stored_id AND t.user_address = s.user_address AND t.distribution_date = ${day ?? 's.distribution_date'}`

const INSERT = `INSERT INTO stored_position (${COLUMNS.join(', ')}) SELECT ${COLUMNS.join(', ')} FROM incoming
  WHERE stored_id IS NULL ORDER BY distribution_date, id DESC`

/** The written positions of a date, with the newest multiplier revision behind their points. */
export interface WrittenDate {
  /** YYYY-MM-DD. */
  date: string
  written: number
  revision: string
}

const written = (from: string) => `SELECT distribution_date::text AS date, count(*)::int AS written,
    (SELECT coalesce(max(id), 0) FROM multiplier_revision) AS revision FROM ${from} written GROUP BY written.distribution_date`

/**
 * Statements that store the staged positions, whose keys are unique and whose pairs are stored. One
 * of them returns a WrittenDate for each date, the others no rows. Inserts are in the order of the
 * date index, so that a user's positions are together.
 */
export const storePositions = (
  basePoints: BasePoints,
  storing: Storing,
  topology: Topology,
): string[] => topology.form({ one: storeInOne, cluster: storeInCluster })(basePoints, storing)

function storeInOne(basePoints: BasePoints, storing: Storing): string[] {
  const { day, changed, notes } = storing
  return [
    `WITH incoming AS MATERIALIZED (${incomingSql(basePoints, storing, day ? joinOld(day) : lookUpOld)}),
        updated AS (${updateSql(storing, 'incoming')} ${changed ? `AND ${differ}` : ''} RETURNING t.distribution_date),
        inserted AS (${INSERT} RETURNING distribution_date)
        ${notes ? `, noted AS (${NOTE})` : ''}
       ${written('(TABLE updated UNION ALL TABLE inserted)')}`,
  ]
}

/** The stored positions come to the coordinator, and what differs goes back. */
function storeInCluster(basePoints: BasePoints, storing: Storing): string[] {
  const { day, changed, notes } = storing
  const ofRecords = day
    ? `distribution_date = ${day}`
    : `user_address = ANY(ARRAY(SELECT DISTINCT user_address FROM staged))
       AND distribution_date = ANY(ARRAY(SELECT DISTINCT distribution_date FROM staged))`
  const ofDay = `LEFT JOIN stored_before old ON ${OF_DAY} AND old.pool_key = p.pool_key`
  const unchanged = `DELETE FROM incoming s USING stored_before t
     WHERE t.id = s.stored_id AND t.user_address = s.user_address AND t.distribution_date = s.distribution_date AND NOT ${differ}`
  return [
    `CREATE TEMP TABLE stored_before ON COMMIT DROP AS SELECT * FROM stored_position WHERE ${ofRecords}`,
    `CREATE TEMP TABLE incoming ON COMMIT DROP AS ${incomingSql(basePoints, storing, ofDay)}`,
    ...(changed ? [unchanged] : []),
    ...(notes ? [NOTE] : []),
    updateSql(storing, '(SELECT * FROM incoming WHERE stored_id IS NOT NULL OFFSET 0)'),
    INSERT,
    written('incoming'),
    'DROP TABLE stored_before, incoming',
  ]
}
