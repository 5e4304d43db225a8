import type { Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import type { DatasetFile } from '../../sources/index.ts'
import type { RunTables } from '../distribution/run-tables.ts'
import { sized } from '../holding/holding.ts'
import type { EntityType } from '../holding/place.ts'
import { ChangedWorths } from '../holding/refresh-worth.ts'
import { factorsOf } from '../multiplier/rule.ts'
import type { BasePoints } from '../points/formula.ts'
import { statusOn } from '../season/season.ts'
import { ChangedVaults } from '../vault/refresh-vault-days.ts'
import type { ImportRuns } from './import-runs.ts'
import {
  columnOf,
  keyColumns,
  type RecordFormat,
  records,
  storedColumns,
  tableKeyColumns,
} from './records.ts'
import { settleFile } from './settle-file.ts'
import {
  applyChangedPrices,
  findChangedPrices,
  PRICED_FLOW,
  pricedColumns,
  pricedRewards,
  priceOfStaged,
  usersOfChangedPrices,
} from './snapshot-prices.ts'
import { storePairs, storePositions } from './store-positions.ts'

/** The state of an import in addition to its records. */
export interface ImportContext {
  basePoints: BasePoints
  runs: ImportRuns
  tables: RunTables
}

/** The counts of staged records that were written. */
export interface StoredCounts {
  rows: Map<string, number>
  dates: string[]
}

/** Stores the staged records of one file, chunk by chunk. Unchanged rows are not written. */
export class FileStore {
  readonly table: string
  readonly #writer: Writer
  readonly #file: DatasetFile
  readonly #import: ImportContext | undefined
  readonly #vaults: ChangedVaults
  readonly #worths: ChangedWorths

  /** @param of the import that the file is of. An update has none, and no positions. */
  constructor(writer: Writer, file: DatasetFile, of?: ImportContext) {
    this.table = records[file].stored ?? records[file].table
    this.#writer = writer
    this.#file = file
    this.#import = of
    this.#vaults = new ChangedVaults(writer)
    this.#worths = new ChangedWorths(writer)
  }

  async store(): Promise<StoredCounts> {
    const written: StoredCounts = { rows: new Map(), dates: [] }
    switch (this.#file) {
      case 'positions':
        await this.#storePositions(written)
        break
      case 'ledger':
        await this.#noteEntries(written)
        break
      case 'prices':
        await findChangedPrices(this.#writer)
        await this.#vaults.notePriced()
        await this.#worths.note(usersOfChangedPrices(this.#writer))
        await this.#storeRecords(written)
        await applyChangedPrices(this.#writer)
        break
      case 'vault-snapshots':
        await this.#vaults.noteStaged()
        await this.#storeRecords(written)
        await this.#refreshHoldings('vault')
        await this.#worths.note(STAGED_USERS)
        break
      case 'market-snapshots':
        await this.#storeRecords(written)
        await this.#refreshHoldings('market')
        await this.#worths.note(STAGED_USERS)
        break
      case 'liquidations':
        await assertInPools(this.#writer)
        await this.#storeRecords(written)
        break
      default:
        await this.#storeRecords(written)
    }
    return written
  }

  /** Does what depends on the whole file, after it is stored. */
  async settle(): Promise<void> {
    await this.#vaults.refresh()
    await this.#worths.refresh()
    await settleFile(this.#writer, this.#file, this.#import?.runs)
  }

  async #storePositions(written: StoredCounts): Promise<void> {
    if (!this.#import) throw new Error('only an import or a run stores positions')
    const { runs, basePoints, tables } = this.#import
    await runs.number()
    written.rows.set('token_pair', await storePairs(this.#writer))
    const origin = { kind: 'import' as const }
    const dates = await storePositions(this.#writer, basePoints, origin, tables.changes)
    written.dates = dates.map(({ date }) => date)
    written.rows.set(
      this.table,
      dates.reduce((sum, date) => sum + date.written, 0),
    )
    await this.#storeUsers(written)
  }

  async #noteEntries(written: StoredCounts): Promise<void> {
    const changes = this.#import?.tables.changes
    if (!changes) return
    const count = await changes.insert(
      this.#writer,
      `SELECT s.user_address, s.distribution_date, p.key, s.run_id, NULL::int,
         s.points_before, s.points_after, s.reasons, false
       FROM staged s JOIN pool p ON p.id = s.pool_address JOIN run r ON r.id = s.run_id`,
    )
    written.rows.set(this.table, count)
  }

  async #storeRecords(written: StoredCounts): Promise<void> {
    const format = records[this.#file]
    const { join = '', columns: computed = {} } = COMPUTED[this.#file] ?? {}
    const columns = columnsOf(this.#file)
    if (format.tableKey) await removeOtherOwners(this.#writer, format)
    const count = await upsert(this.#writer, {
      table: format.table,
      columns,
      key: tableKeyColumns(format),
      from: `SELECT ${columns.map((column) => computed[column] ?? `s.${column}`).join(', ')}
        FROM staged s ${join}`,
    })
    written.rows.set(format.table, count)
    await this.#storeUsers(written)
  }

  async #storeUsers(written: StoredCounts): Promise<void> {
    const format = records[this.#file]
    if (!format.user) return
    const count = await upsert(this.#writer, {
      table: '"user"',
      columns: ['user_address'],
      key: ['user_address'],
      from: `SELECT DISTINCT ${columnOf(format, format.user)} FROM staged`,
    })
    written.rows.set('"user"', count)
  }

  /** Makes the holdings of staged users from what is stored, where no trigger does. */
  async #refreshHoldings(kind: EntityType): Promise<void> {
    if (!this.#writer.usersAreRemote) return
    const columns = columnsOf(this.#file).join(', ')
    const key = ['user_address', 'chain_id', `${kind}_id`]
    const keys = `(SELECT DISTINCT ${key.join(', ')} FROM staged OFFSET 0) k`
    const equal = (row: string) =>
      key.map((column) => `${row}.${column} = k.${column}`).join(' AND ')
    await this.#writer.query(`DELETE FROM ${kind}_holding h USING ${keys} WHERE ${equal('h')}`)
    await this.#writer.query(
      `INSERT INTO ${kind}_holding (${columns}, size, magnitude)
       SELECT ${columns}, size, magnitude FROM (${sized(
         kind,
         `SELECT * FROM (
           SELECT s.*, rank() OVER (
             PARTITION BY ${key.map((column) => `s.${column}`).join(', ')}
             ORDER BY s.timestamp DESC) AS nth
           FROM ${kind}_snapshot s JOIN ${keys} ON ${equal('s')}) s
         WHERE nth = 1`,
       )}) s`,
    )
  }
}

const STAGED_USERS = 'SELECT DISTINCT user_address FROM staged'

// Both markets of a liquidation are sides of its pool.
async function assertInPools(writer: Writer): Promise<void> {
  const { rows } = await writer.query<{ tx: string; market: string; pool: string }>(
    `SELECT s.tx_hash AS tx, m.id AS market, s.pool_address AS pool
     FROM staged s JOIN market m
       ON m.chain_id = s.chain_id AND m.id IN (s.debt_market_id, s.collateral_market_id)
     WHERE m.pool_address <> s.pool_address LIMIT 1`,
  )
  const [wrong] = rows
  if (wrong)
    throw new GatewayError(
      'BAD_INPUT',
      `The liquidation in ${wrong.tx} is in the pool ${wrong.pool}, but its market ` +
        `${wrong.market} is a side of another pool. Nothing was stored.`,
    )
}

function columnsOf(file: DatasetFile): string[] {
  const computed = Object.keys(COMPUTED[file]?.columns ?? {})
  return [...new Set([...storedColumns(records[file]), ...computed])]
}

interface Upsert {
  table: string
  columns: string[]
  key: string[]
  from: string
}

// Replaces an existing row only if a column differs. @returns how many rows it wrote
async function upsert(writer: Writer, { table, columns, key, from }: Upsert): Promise<number> {
  const values = columns.filter((column) => !key.includes(column))
  const valuesOf = (row: string) => values.map((column) => `${row}.${column}`).join(', ')
  const action =
    values.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}
       WHERE (${valuesOf('t')}) IS DISTINCT FROM (${valuesOf('excluded')})`
  // Rows sorted by key go to neighbouring index pages, so fewer pages are read and logged.
  const order = key.map((column) => columns.indexOf(column) + 1)
  const { rows, rowCount } = await writer.query(
    `INSERT INTO ${table} AS t (${columns.join(', ')})
     ${from}
     ORDER BY ${order.join(', ')}
     ON CONFLICT (${key.join(', ')}) ${action}
     ${writer.usersAreRemote ? 'RETURNING true' : ''}`,
  )
  // Remote servers also count the equal rows, but do not return them.
  return writer.usersAreRemote ? rows.length : (rowCount ?? 0)
}

// The table's key also has the user, so a row of another user with the record's natural key is
// removed.
async function removeOtherOwners(writer: Writer, format: RecordFormat): Promise<void> {
  const key = keyColumns(format)
  const conditions = tableKeyColumns(format).map(
    (column) => `t.${column} ${key.includes(column) ? '=' : '<>'} s.${column}`,
  )
  await writer.query(
    `DELETE FROM ${format.table} t USING ${writer.temporary('staged')} s
     WHERE ${conditions.join(' AND ')}`,
  )
}

// A record with neither risk parameter keeps both that are stored, so that they always fit each
// other.
const keptRisk = (column: string) => `CASE
    WHEN num_nonnulls(s.max_ltv, s.liquidation_threshold) = 0 THEN old.${column}
    ELSE s.${column} END`

// True if the limits change, as the trigger `keep_past_limits` compares them: the previous ones
// stay those of the dates before the newest.
const LIMITS_CHANGE = `num_nonnulls(old.max_ltv, old.liquidation_threshold) > 0
    AND (old.max_ltv, old.liquidation_threshold) IS DISTINCT FROM
      (${keptRisk('max_ltv')}, ${keptRisk('liquidation_threshold')})
    AND newest.date > coalesce(old.limits_until[cardinality(old.limits_until)], '-infinity')`

// The past limits of a record, or those that are stored, with what now becomes one of them.
const pastLimits = (column: string, value: string, added: string) => ({
  [column]: `CASE
    WHEN s.past_limits IS NOT NULL THEN ARRAY(
      SELECT ${value} FROM jsonb_array_elements(s.past_limits) WITH ORDINALITY AS l(record, n)
      ORDER BY l.n)
    WHEN ${LIMITS_CHANGE} THEN old.${column} || ${added}
    ELSE old.${column} END`,
})

const OLD_MARKET = `JOIN market old USING (chain_id, id)
      CROSS JOIN (SELECT max(date) AS date FROM distribution) newest`
const LIMITS = {
  max_ltv: keptRisk('max_ltv'),
  liquidation_threshold: keptRisk('liquidation_threshold'),
  ...pastLimits('limits_until', "(l.record->>'until')::date", 'newest.date'),
  ...pastLimits('past_max_ltvs', "(l.record->>'maxLtv')::float8", 'old.max_ltv'),
  ...pastLimits(
    'past_liquidation_thresholds',
    "(l.record->>'liquidationThreshold')::float8",
    'old.liquidation_threshold',
  ),
}

// The stored value of columns that differ from the record's or are not of it. `old` is the existing
// row with the key.
const COMPUTED: Partial<Record<DatasetFile, { join?: string; columns: Record<string, string> }>> = {
  multipliers: {
    join: 'LEFT JOIN multiplier old USING (pool_address)',
    columns: {
      id: 'coalesce(s.id, old.id, gen_random_uuid()::text)',
      created_at: 'coalesce(s.created_at, old.created_at, statement_timestamp())',
      updated_at: `coalesce(s.updated_at,
        CASE WHEN (${factorsOf('s')}) = (${factorsOf('old')}) THEN old.updated_at END,
        statement_timestamp())`,
    },
  },
  markets: { join: `LEFT ${OLD_MARKET}`, columns: LIMITS },
  // Other columns of the market stay.
  thresholds: {
    join: OLD_MARKET,
    columns: {
      ...Object.fromEntries(
        storedColumns(records.markets)
          .filter((column) => !['chain_id', 'id'].includes(column))
          .map((column) => [column, `old.${column}`]),
      ),
      ...LIMITS,
    },
  },
  seasons: {
    columns: { status: statusOn("(now() AT TIME ZONE 'UTC')::date", 's.starts_at', 's.ends_at') },
  },
  'market-snapshots': { join: priceOfStaged('market'), columns: pricedColumns('market') },
  'vault-snapshots': { join: priceOfStaged('vault'), columns: pricedColumns('vault') },
  'cash-flows': PRICED_FLOW,
  'market-liquidation-rewards': pricedRewards('market'),
  'vault-liquidation-rewards': pricedRewards('vault'),
}
