import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import type { RunTables } from '../distribution/run-tables.ts'
import { REASON } from '../ledger/reason.ts'
import { inForce } from '../multiplier/rule.ts'
import { type BasePoints, pointsSql } from '../points/formula.ts'
import { refreshMovers } from '../position/mover.ts'
import { records } from './records.ts'

const PAIR = [
  'pool_address',
  'a_token_address',
  'a_token_symbol',
  'b_token_address',
  'b_token_symbol',
]
// Prices and amounts.
const AMOUNTS = Object.values(records.positions.fields)
  .filter(({ type }) => type === 'float')
  .map(({ column }) => column)

const STORED = {
  user_address: ADDRESS,
  distribution_date: 'date',
  pool_key: 'int',
  id: 'text',
  pair_key: 'int',
  ...Object.fromEntries(AMOUNTS.map((column) => [column, 'float8'])),
  points_a: 'bigint',
  points_b: 'bigint',
  given: 'boolean',
  run_id: 'int',
}
const COLUMNS = Object.keys(STORED)
const VALUES = ['id', 'pair_key', ...AMOUNTS, 'points_a', 'points_b', 'given']
const columnsOf = (row: string, columns: string[]) =>
  columns.map((column) => `${row}.${column}`).join(', ')

/**
 * SQL of the id of a staged position `s` that has none: a UUID of its natural key. It begins with
 * the date and the user, so that positions of a user are neighbours in the order of ids.
 */
export const positionId = `(
    lpad(to_hex((s.distribution_date - date '2000-01-01') & 65535), 4, '0')
    || substr(s.user_address, 3, 8)
    || left(md5(s.user_address || ' ' || s.distribution_date || ' ' || s.pool_address), 20)
  )::uuid::text`

/** Stores the pairs of tokens that only staged positions have. @returns how many those are */
export async function storePairs(writer: Writer): Promise<number> {
  // They are few. Remote servers take no rows of a join with a temporary table.
  const { rows } = await writer.query(
    `SELECT DISTINCT pool.key AS pool_key, ${columnsOf('s', PAIR)}
     FROM staged s JOIN pool ON pool.id = s.pool_address
     WHERE NOT EXISTS (
       SELECT FROM token_pair p WHERE (${columnsOf('p', PAIR)}) = (${columnsOf('s', PAIR)}))`,
  )
  if (rows.length === 0) return 0
  await writer.query(
    `INSERT INTO token_pair (pool_key, ${PAIR.join(', ')})
     SELECT * FROM json_to_recordset($1)
       AS r(pool_key int, ${PAIR.map((column) => `${column} text`).join(', ')})`,
    [JSON.stringify(rows)],
  )
  await refreshMovers(writer)
  return rows.length
}

// It decides the points of staged positions, their run, and what is written.
type PositionsOrigin =
  /** A run stores a whole date. It computes all points, and writes every position. */
  | { kind: 'run'; day: string; run: string | null }
  /** An import computes the points that records lack, and skips equal rows. */
  | { kind: 'import' }

// The SQL in which origins differ. `s` is the record, `old` the stored position.
interface OriginSql {
  run: string
  given: string
  points(side: 'a' | 'b', computed: string): string
  joins: string
  joinOld: string
  ofRecords: string
  day: string
  skipsEqual: boolean
}

const SAME_DAY = 'old.user_address = s.user_address AND old.distribution_date = s.distribution_date'

// The planner has statistics of a known date, so a join finds the stored positions.
const sqlOfRun = (day: string, run: string | null): OriginSql => ({
  run: `${run}::int`,
  given: 'false',
  points: (_, computed) => computed,
  joins: '',
  joinOld: `LEFT JOIN stored_position old ON ${SAME_DAY}
      AND old.distribution_date = date '${day}' AND old.pool_key = p.pool_key`,
  ofRecords: `distribution_date = date '${day}'`,
  day: `date '${day}'`,
  skipsEqual: false,
})

const SQL_OF_IMPORT: OriginSql = {
  run: 'coalesce(i.id, r.run_id)::int',
  // Points that another store computed are imported ones here, unless this store has them
  // already, or their run too.
  given: `CASE
      WHEN s.given IS NOT FALSE THEN s.points_a IS NOT NULL
      WHEN i.id IS NOT NULL THEN false
      ELSE coalesce(old.given OR (old.points_a, old.points_b) <> (s.points_a, s.points_b), true)
    END`,
  points: (side, computed) => `coalesce(s.points_${side}, ${computed})`,
  joins: `LEFT JOIN staged_run r USING (distribution_date)
    LEFT JOIN imported_run i ON i.id = s.run_id`,
  // A look-up by user: a table that an import fills has no statistics yet, so the planner would
  // read it whole, or take the index of pools.
  joinOld: `LEFT JOIN LATERAL (
      SELECT * FROM stored_position old
      WHERE ${SAME_DAY} AND old.pool_key + 0 = p.pool_key OFFSET 0) old ON true`,
  ofRecords: `user_address = ANY(ARRAY(SELECT DISTINCT user_address FROM staged))
      AND distribution_date = ANY(ARRAY(SELECT DISTINCT distribution_date FROM staged))`,
  day: 's.distribution_date',
  skipsEqual: true,
}

const QUANTITIES = AMOUNTS.filter((column) => column.endsWith('_amount'))
const PRICES = ['a_token_price', 'b_token_price']
const differing = (columns: string[]) =>
  `(${columnsOf('old', columns)}) IS DISTINCT FROM (${columnsOf('s', columns)})`
const REASONS = `CASE WHEN old.id IS NULL THEN ${REASON.POSITION_ADDED} ELSE
      CASE WHEN ${differing(QUANTITIES)} THEN ${REASON.POSITION_CHANGED} ELSE 0 END
      + CASE WHEN ${differing(PRICES)} THEN ${REASON.PRICE} ELSE 0 END END`

// The staged positions as they will be stored.
function incomingSql(basePoints: BasePoints, origin: OriginSql, joinOld: string): string {
  const computed = pointsSql(basePoints, 's', 'm', 'b')
  return `SELECT s.user_address, s.distribution_date, p.pool_key,
    coalesce(s.id, old.id, ${positionId}) AS id,
    p.key AS pair_key,
    ${columnsOf('s', AMOUNTS)},
    ${origin.points('a', computed.pointsA)} AS points_a,
    ${origin.points('b', computed.pointsB)} AS points_b,
    ${origin.given} AS given,
    ${origin.run} AS run_id,
    old.id AS stored_id,
    old.points_a + old.points_b AS points_before,
    old.run_id AS run_before,
    old.given AS given_before,
    ${REASONS} AS reasons
  FROM staged s
    JOIN token_pair p USING (${PAIR.join(', ')})
    ${origin.joins}
    LEFT JOIN multiplier_rule m
      ON m.pool_address = s.pool_address AND ${inForce('m', 's.distribution_date')}
    LEFT JOIN base_points_rule b ON ${inForce('b', 's.distribution_date')}
    ${joinOld}`
}

// Rows of `changes`. A date that is stored for the first time has none.
const CHANGED = `SELECT user_address, distribution_date, pool_key, run_id, run_before,
    coalesce(points_before, 0), points_a + points_b, reasons, given OR given_before IS TRUE
  FROM incoming
  WHERE coalesce(points_before, 0) <> points_a + points_b
    AND distribution_date IN (SELECT date FROM distribution)`

const DIFFER = `(${columnsOf('t', VALUES)}) IS DISTINCT FROM (${columnsOf('s', VALUES)})`

const updateSql = ({ day }: OriginSql, incoming: string) => `UPDATE stored_position t
  SET ${[...VALUES, 'run_id'].map((column) => `${column} = s.${column}`).join(', ')}
  FROM ${incoming} s
  WHERE t.id = s.stored_id AND t.user_address = s.user_address AND t.distribution_date = ${day}`

// In the order of the date index, so that a user's positions are together.
const INSERT = `INSERT INTO stored_position (${COLUMNS.join(', ')})
  SELECT ${COLUMNS.join(', ')} FROM incoming
  WHERE stored_id IS NULL ORDER BY distribution_date, id DESC`

/** The written positions of a date, with the newest multiplier revision behind their points. */
export interface WrittenDate {
  date: string
  written: number
  revision: string
}

const writtenDates = (from: string) => `SELECT distribution_date::text AS date,
    count(*)::int AS written,
    (SELECT coalesce(max(id), 0) FROM multiplier_revision) AS revision
  FROM ${from} written GROUP BY written.distribution_date`

/**
 * Stores the staged positions, whose keys are unique and whose pairs are stored. Positions whose
 * points change are noted in `changes`.
 */
export async function storePositions(
  writer: Writer,
  basePoints: BasePoints,
  origin: PositionsOrigin,
  changes: RunTables['changes'],
): Promise<WrittenDate[]> {
  const sql = origin.kind === 'run' ? sqlOfRun(origin.day, origin.run) : SQL_OF_IMPORT
  if (writer.usersAreRemote) return storeRemote(writer, basePoints, sql, changes)
  const { rows } = await writer.query<WrittenDate>(
    `WITH incoming AS MATERIALIZED (${incomingSql(basePoints, sql, sql.joinOld)}),
     updated AS (
       ${updateSql(sql, 'incoming')} ${sql.skipsEqual ? `AND ${DIFFER}` : ''}
       RETURNING t.distribution_date),
     inserted AS (${INSERT} RETURNING distribution_date)
     ${changes ? `, noted AS (${changes.insertSql(CHANGED)})` : ''}
     ${writtenDates('(TABLE updated UNION ALL TABLE inserted)')}`,
  )
  return rows
}

const before = new TemporaryTable<string>('stored_before', STORED)

const incoming = new TemporaryTable<string>('incoming', {
  ...STORED,
  stored_id: 'text',
  points_before: 'bigint',
  run_before: 'int',
  given_before: 'boolean',
  reasons: 'int',
})

// The stored positions that records may change come here, and what differs goes back.
async function storeRemote(
  writer: Writer,
  basePoints: BasePoints,
  origin: OriginSql,
  changes: RunTables['changes'],
): Promise<WrittenDate[]> {
  await before.fill(
    writer,
    `SELECT ${COLUMNS.join(', ')} FROM stored_position WHERE ${origin.ofRecords}`,
  )
  const joinBefore = `LEFT JOIN stored_before old ON ${SAME_DAY} AND old.pool_key = p.pool_key`
  await incoming.fill(writer, incomingSql(basePoints, origin, joinBefore))
  if (origin.skipsEqual)
    await writer.query(
      `DELETE FROM incoming s USING stored_before t
       WHERE t.id = s.stored_id AND t.user_address = s.user_address
         AND t.distribution_date = s.distribution_date AND NOT ${DIFFER}`,
    )
  await changes?.insert(writer, CHANGED)
  const stored = '(SELECT * FROM incoming WHERE stored_id IS NOT NULL OFFSET 0)'
  await writer.query(updateSql(origin, stored))
  await writer.query(INSERT)
  const { rows } = await writer.query<WrittenDate>(writtenDates('incoming'))
  await before.drop(writer)
  await incoming.drop(writer)
  return rows
}
