import type { Topology } from '../../db/topology/topology.ts'
import type { DatasetFile } from '../../sources/dataset/dataset.ts'
import type { EntityType } from '../holding/place.ts'
import { NOTE_RESTORED } from '../ledger/record.ts'
import { factorsOf } from '../multiplier/rule.ts'
import type { BasePoints } from '../points/formula.ts'
import { statusOn } from '../season/season.ts'
import {
  CHANGED_VAULTS,
  NOTE_PRICED,
  NOTE_STAGED,
  refreshVaultDays,
} from '../vault/refresh-vault-days.ts'
import { DIGESTS } from './conflicts.ts'
import { columnOf, type RecordFormat, records } from './records.ts'
import { applyPrices, CHANGED_PRICES, pricedColumns, priceOfStaged } from './snapshot-prices.ts'
import { storePairs, storePositions } from './store-positions.ts'

/** The SQL that stores a file chunk by chunk, derived from its format. */
export interface UpsertSql {
  table: string
  /**
   * Creates the staging table, with the file's fields, digests and the `line` number as columns.
   */
  create: string
  copy: string
  /** Keeps one of the equal staged records of each key, as an upsert cannot replace a row twice. */
  keepLast: string
  /** Expects a run id for each staged distribution date. Undefined if the format has no dates. */
  numberRuns: string | undefined
  /** Write the staged records to the tables. Unchanged rows are not written. */
  upserts: Upsert[]
  /**
   * Selects `line` and `id` of staged records whose id belongs to another key. Undefined if the
   * format has no such id.
   */
  clashes: string | undefined
  /** True if the store refuses such an id without a check. */
  refusesClashes: boolean
  clear: string
  drop: string
  /** Work that depends on the whole file, after it is stored. */
  settle: string | undefined
}

export interface Upsert {
  text: string
  /** The table whose written rows it counts. Undefined if what it writes follows from the rest. */
  table?: string
  /**
   * How it counts them: by the rows that it returns, as Citus takes those that stay as they are for
   * affected ones, or by the WrittenDate of each date. Without it by the rows that it affects.
   */
  counts?: 'returned' | 'dates'
}

/**
 * The table that the chunks of a file wait in; it has no key, so that COPY is all that a chunk
 * costs.
 */
const STAGING = 'staged'

/** The run of each written distribution date, and the dataset's own runs. */
export const stagedRuns = `
  CREATE TEMP TABLE staged_run (distribution_date date PRIMARY KEY, run_id bigint) ON COMMIT DROP;
  CREATE TEMP TABLE imported_run (id bigint PRIMARY KEY, date date, succeeded boolean) ON COMMIT DROP`

/**
 * A date that the dataset has a run of needs no other. The numbers are those that come next:
 * `takeRunIds` takes them when the runs are recorded, so an import that fails, or that changes
 * nothing, leaves no gap.
 */
const numberRuns = `INSERT INTO staged_run SELECT distribution_date, row_number() OVER (ORDER BY distribution_date)
    + coalesce((SELECT max(run_id) FROM staged_run), pg_sequence_last_value('run_id_seq'), 0)
  FROM (SELECT DISTINCT distribution_date FROM ${STAGING}) s
  WHERE NOT EXISTS (SELECT FROM imported_run i WHERE i.date = s.distribution_date AND i.succeeded)
    AND NOT EXISTS (SELECT FROM staged_run r WHERE r.distribution_date = s.distribution_date)`

/** Numbers the runs of these dates. */
export const takeNumbers = `SELECT distribution_date::text AS date, run_id AS expected, nextval('run_id_seq') AS id
  FROM (SELECT * FROM staged_run WHERE distribution_date = ANY($1::date[]) ORDER BY run_id OFFSET 0) r`

/** The imported run of each date that finished last, as JSON. */
export const importedRuns = `SELECT coalesce(json_agg(r), '[]')::text AS runs FROM (
  SELECT DISTINCT ON (r.date) r.date, r.kind, r.started_at, r.finished_at, r.id FROM run r JOIN imported_run i USING (id)
  WHERE i.succeeded ORDER BY r.date, r.finished_at DESC, r.id DESC) r`

/** Credits the distributions of these dates to them. */
export const restoreDistributions = `UPDATE distribution d
  SET kind = r.kind, started_at = r.started_at, finished_at = r.finished_at, run_id = r.id
  FROM json_to_recordset($1) AS r(date date, kind distribution_kind, started_at timestamptz, finished_at timestamptz, id bigint)
  WHERE d.date = r.date`

/** Ids that are assigned from now on are larger than the imported ones. */
const continueIds = (table: string) => `SELECT setval('${table}_id_seq', max(id)) FROM ${table}
  HAVING max(id) >= (SELECT last_value FROM ${table}_id_seq)`

/**
 * Triggers record every change as a revision. One that says the same as the rule of its day or of
 * today is removed.
 */
const settled: Partial<Record<DatasetFile, string>> = {
  'base-points-revisions': continueIds('base_points_revision'),
  'multiplier-revisions': continueIds('multiplier_revision'),
  multipliers: `DELETE FROM multiplier_revision t
    WHERE t.recorded_at >= date_trunc('milliseconds', now()) AND t.from_date IS NULL AND EXISTS (
      SELECT FROM (VALUES (t.changed_at), (now())) AS at(moment) CROSS JOIN LATERAL (
        SELECT * FROM multiplier_revision o WHERE o.pool_address = t.pool_address AND o.id < t.id AND o.revoked_at IS NULL
          AND (o.from_date IS NULL OR o.from_date <= (at.moment AT TIME ZONE 'UTC')::date) ORDER BY o.id DESC LIMIT 1) before
      WHERE (${factorsOf('before')})
        = (${factorsOf('t')}))`,
  rates: `DELETE FROM rate_revision t
    WHERE t.changed_at = now()::timestamptz(3) AND EXISTS (
      SELECT FROM (SELECT * FROM rate_revision o WHERE (o.entity_type, o.chain_id, o.entity_id)
          = (t.entity_type, t.chain_id, t.entity_id) AND o.changed_at < t.changed_at ORDER BY o.changed_at DESC LIMIT 1) before
      WHERE before.deposit_rate = t.deposit_rate AND before.borrow_rate IS NOT DISTINCT FROM t.borrow_rate)`,
  runs: `INSERT INTO imported_run SELECT id, date, status = 'succeeded' FROM run; ${continueIds('run')}`,
}

/**
 * A record with neither risk parameter keeps both that are stored, so that they always fit each
 * other.
 */
const keptRisk = (column: string) =>
  `CASE WHEN num_nonnulls(s.max_ltv, s.liquidation_threshold) = 0 THEN old.${column} ELSE s.${column} END`

/**
 * True if the limits change, as the trigger `keep_past_limits` of one Postgres compares them: the
 * previous ones stay those of the dates before the newest.
 */
const LIMITS_CHANGE = `num_nonnulls(old.max_ltv, old.liquidation_threshold) > 0
  AND (old.max_ltv, old.liquidation_threshold) IS DISTINCT FROM (${keptRisk('max_ltv')}, ${keptRisk('liquidation_threshold')})
  AND newest.date > coalesce(old.limits_until[cardinality(old.limits_until)], '-infinity')`

/** The past limits of a record, or those that are stored, with what now becomes one of them. */
const pastLimits = (column: string, value: string, added: string) => ({
  [column]: `CASE WHEN s.past_limits IS NOT NULL
    THEN ARRAY(SELECT ${value} FROM jsonb_array_elements(s.past_limits) WITH ORDINALITY AS l(record, n) ORDER BY l.n)
    WHEN ${LIMITS_CHANGE} THEN old.${column} || ${added} ELSE old.${column} END`,
})

/**
 * The stored value of columns that differ from the record's or are not of it. `old` is the existing
 * row with the key.
 */
const derived: Partial<Record<DatasetFile, { join?: string; columns: Record<string, string> }>> = {
  multipliers: {
    join: 'LEFT JOIN multiplier old USING (pool_address)',
    columns: {
      id: 'coalesce(s.id, old.id, gen_random_uuid()::text)',
      created_at: 'coalesce(s.created_at, old.created_at, statement_timestamp())',
      updated_at: `coalesce(s.updated_at, CASE
        WHEN (${factorsOf('s')})
          = (${factorsOf('old')})
        THEN old.updated_at END, statement_timestamp())`,
    },
  },
  markets: {
    join: `LEFT JOIN market old USING (chain_id, id) CROSS JOIN (SELECT max(date) AS date FROM distribution) newest`,
    columns: {
      max_ltv: keptRisk('max_ltv'),
      liquidation_threshold: keptRisk('liquidation_threshold'),
      ...pastLimits('limits_until', "(l.record->>'until')::date", 'newest.date'),
      ...pastLimits('past_max_ltvs', "(l.record->>'maxLtv')::float8", 'old.max_ltv'),
      ...pastLimits(
        'past_liquidation_thresholds',
        "(l.record->>'liquidationThreshold')::float8",
        'old.liquidation_threshold',
      ),
    },
  },
  seasons: {
    columns: { status: statusOn("(now() AT TIME ZONE 'UTC')::date", 's.starts_at', 's.ends_at') },
  },
  'market-snapshots': { join: priceOfStaged('market'), columns: pricedColumns('market') },
  'vault-snapshots': { join: priceOfStaged('vault'), columns: pricedColumns('vault') },
}

/**
 * Records of the triggers of one Postgres: the rates of markets or vaults that are not their newest
 * revision.
 */
function recordRates(kind: EntityType): string {
  const borrowRate = kind === 'market' ? 'e.borrow_rate' : 'NULL::float8'
  return `CREATE TEMP TABLE new_rate ON COMMIT DROP AS
    SELECT '${kind}'::entity_type AS entity_type, e.chain_id, e.id, now()::timestamptz(3) AS changed_at, e.deposit_rate, ${borrowRate} AS borrow_rate
    FROM ${kind} e LEFT JOIN (SELECT DISTINCT ON (chain_id, entity_id) * FROM rate_revision WHERE entity_type = '${kind}'
      ORDER BY chain_id, entity_id, changed_at DESC) r ON r.chain_id = e.chain_id AND r.entity_id = e.id
    WHERE r.entity_id IS NULL OR (r.deposit_rate, r.borrow_rate) IS DISTINCT FROM (e.deposit_rate, ${borrowRate});
  INSERT INTO rate_revision SELECT * FROM new_rate ON CONFLICT (entity_type, chain_id, entity_id, changed_at)
    DO UPDATE SET deposit_rate = excluded.deposit_rate, borrow_rate = excluded.borrow_rate;
  DROP TABLE new_rate`
}

/**
 * Work of the triggers of one Postgres: the holdings of staged users are made from what is stored.
 */
function refreshHoldings(kind: EntityType, columns: string[]): Upsert[] {
  const key = ['user_address', 'chain_id', `${kind}_id`]
  const keys = `(SELECT DISTINCT ${key.join(', ')} FROM ${STAGING} OFFSET 0) k`
  const equal = (row: string) => key.map((column) => `${row}.${column} = k.${column}`).join(' AND ')
  const ranked = `SELECT s.*, rank() OVER (PARTITION BY ${key.map((column) => `s.${column}`).join(', ')} ORDER BY s.timestamp DESC) AS nth
    FROM ${kind}_snapshot s JOIN ${keys} ON ${equal('s')}`
  return [
    { text: `DELETE FROM ${kind}_holding h USING ${keys} WHERE ${equal('h')}` },
    {
      text: `INSERT INTO ${kind}_holding (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM (${ranked}) s WHERE nth = 1`,
    },
  ]
}

/** The work of triggers, of which a cluster has none. */
const untriggered: Partial<Record<DatasetFile, { settle?: string; holdings?: EntityType }>> = {
  markets: { settle: recordRates('market') },
  vaults: { settle: recordRates('vault') },
  'market-snapshots': { holdings: 'market' },
  'vault-snapshots': { holdings: 'vault' },
}

/**
 * The SQL of one file of the import format.
 * @param notes whether positions whose points change are noted: see `noteChanges`
 */
export function upsertSql(
  file: DatasetFile,
  basePoints: BasePoints,
  topology: Topology,
  notes = false,
): UpsertSql {
  const format = records[file]
  const { table } = format
  const fields = Object.entries(format.fields)
  const columnIn = (field: string) => columnOf(format, field)
  const ofRecord = fields
    .filter(([field]) => !format.besides?.includes(field))
    .map(([field]) => columnIn(field))
  const key = (format.tableKey ?? format.key).map(columnIn)
  const { join = '', columns: special = {} } = derived[file] ?? {}
  const columns = [...new Set([...ofRecord, ...Object.keys(special)])]
  const source = `SELECT ${columns.map((column) => special[column] ?? `s.${column}`).join(', ')} FROM ${STAGING} s ${join}`
  const changesVaults = file === 'prices' || file === 'vault-snapshots'
  const settling = changesVaults ? refreshVaultDays(topology) : settled[file]
  const { settle = settling, holdings } =
    topology.form({ one: undefined, cluster: untriggered[file] }) ?? {}
  const upserts = upsertsOf()
  function upsertsOf(): Upsert[] {
    if (file === 'positions') return upsertPositions(basePoints, topology, notes)
    if (file === 'ledger') return notes ? [{ table: 'account_day', text: NOTE_RESTORED }] : []
    return [upsert(table, columns, key, source, topology)]
  }
  if (format.tableKey) upserts.unshift(removeOtherOwners(format, topology))
  if (format.user) upserts.push(upsertUsers(columnIn(format.user), topology))
  if (holdings) upserts.push(...refreshHoldings(holdings, columns))
  if (file === 'prices') {
    upserts.unshift({ text: CHANGED_PRICES }, { text: NOTE_PRICED })
    upserts.push(...applyPrices(topology).map((text) => ({ text })))
  }
  if (file === 'vault-snapshots') upserts.unshift({ text: NOTE_STAGED })
  return {
    table: format.stored ?? table,
    create: `CREATE TEMP TABLE ${STAGING} (${fields.map(([field, { sql }]) => `${columnIn(field)} ${sql}, `).join('')}
      ${DIGESTS}) ON COMMIT DROP${changesVaults ? `; ${CHANGED_VAULTS}` : ''}`,
    copy: `COPY ${STAGING} FROM STDIN`,
    keepLast: keepLast(format.key.map(columnIn)),
    numberRuns: file === 'positions' ? numberRuns : undefined,
    upserts,
    clashes: format.unique && clashes(table, key, format.unique, topology),
    refusesClashes: topology.form({ one: true, cluster: file !== 'positions' }),
    clear: `TRUNCATE ${STAGING}`,
    drop: `DROP TABLE ${STAGING}`,
    settle,
  }
}

/** INSERT of a SELECT. An existing row with the key is replaced only if a column differs. */
function upsert(
  table: string,
  columns: string[],
  key: string[],
  source: string,
  topology: Topology,
): Upsert {
  const values = columns.filter((column) => !key.includes(column))
  const list = (prefix: string) => values.map((column) => `${prefix}.${column}`).join(', ')
  const action = values.length
    ? `DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}
       WHERE (${list('t')}) IS DISTINCT FROM (${list('excluded')})`
    : 'DO NOTHING'
  // Rows sorted by key go to neighbouring index pages, so fewer pages are read and logged.
  const sorted = `ORDER BY ${key.map((column) => columns.indexOf(column) + 1).join(', ')}`
  const text = `INSERT INTO ${table} AS t (${columns.join(', ')}) ${source} ${sorted}
    ON CONFLICT (${key.join(', ')}) ${action}`
  return topology.form<Upsert>({
    one: { table, text },
    cluster: { table, text: `${text} RETURNING true`, counts: 'returned' },
  })
}

function upsertUsers(column: string, topology: Topology): Upsert {
  return upsert(
    '"user"',
    ['user_address'],
    ['user_address'],
    `SELECT DISTINCT ${column} FROM ${STAGING}`,
    topology,
  )
}

/**
 * Points that another store computed are given to this one, unless it has them already, or their
 * run too.
 */
const GIVEN = `CASE WHEN s.points_given IS NOT FALSE THEN s.points_a IS NOT NULL WHEN i.id IS NOT NULL THEN false
  ELSE coalesce(old.given OR (old.points_a, old.points_b) <> (s.points_a, s.points_b), true) END`

/** Positions with the imported points, or those that the rules of their date yield. */
function upsertPositions(basePoints: BasePoints, topology: Topology, notes: boolean): Upsert[] {
  const joins = `LEFT JOIN staged_run r USING (distribution_date) LEFT JOIN imported_run i ON i.id = s.run_id`
  const storing = { given: GIVEN, run: 'coalesce(i.id, r.run_id)', joins, changed: true, notes }
  return [
    ...storePairs(topology).map((text) => ({ table: 'token_pair', text })),
    ...storePositions(basePoints, storing, topology).map(
      (text): Upsert => ({ table: 'stored_position', text, counts: 'dates' }),
    ),
  ]
}

/**
 * The table's key also has the user, so a row of another user with the record's natural key is
 * removed.
 */
function removeOtherOwners(format: RecordFormat, topology: Topology): Upsert {
  const { table, key, tableKey = [] } = format
  const columnIn = (field: string) => columnOf(format, field)
  const equal = key.map(columnIn).map((column) => `t.${column} = s.${column}`)
  const differs = tableKey
    .filter((field) => !key.includes(field))
    .map(columnIn)
    .map((column) => `t.${column} <> s.${column}`)
  return {
    text: `DELETE FROM ${table} t USING ${topology.temporary(STAGING)} s WHERE ${[...equal, ...differs].join(' AND ')}`,
  }
}

function keepLast(key: string[]): string {
  return `DELETE FROM ${STAGING} WHERE line NOT IN (SELECT max(line) FROM ${STAGING} GROUP BY ${key.join(', ')})`
}

function clashes(table: string, key: string[], unique: string, topology: Topology): string {
  const keyOf = (alias: string) => `(${key.map((column) => `${alias}.${column}`).join(', ')})`
  return `SELECT s.line::int, s.${unique} AS id FROM ${topology.temporary(STAGING)} s JOIN ${table} t USING (${unique}) WHERE ${keyOf('t')} <> ${keyOf('s')}
    UNION
    SELECT line::int, ${unique} FROM (
      SELECT line, ${unique}, row_number() OVER (PARTITION BY ${unique} ORDER BY line) AS nth FROM ${STAGING}
      WHERE ${unique} IS NOT NULL) shared WHERE nth > 1
    ORDER BY 1`
}
