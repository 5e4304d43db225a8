import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { DatabaseError, Pool, PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { inTransaction } from '../../db/connect/transaction.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import type { Topology } from '../../db/topology/topology.ts'
import { GatewayError } from '../../errors.ts'
import { type Dataset, type DatasetFile, datasetFiles } from '../../sources/dataset/dataset.ts'
import { readLines } from '../../sources/dataset/lines.ts'
import type { SourceReceipt } from '../../sources/fetched.ts'
import type { CopiedRules } from '../../sources/mirror/copied-rules.ts'
import { isoDay } from '../../time.ts'
import { logoWarnings } from '../asset/logo.ts'
import {
  finishImportRecords,
  hasFailedImport,
  openImportRecords,
  recordFailedImport,
  recordImport,
} from '../distribution/run-record.ts'
import { noteChanges } from '../ledger/record.ts'
import { actAs } from '../multiplier/update.ts'
import { type BasePoints, pointsError } from '../points/formula.ts'
import { lockWriters, refreshRollups } from '../points/refresh-rollups.ts'
import {
  type CountedPositions,
  unscoredAmong,
  unscoredMessage,
  unscoredRemedy,
} from '../pool/unscored.ts'
import { admitDates, datesInSeasons, reopenSeasons } from '../season/admit-date.ts'
import { Chunk } from './chunk.ts'
import { conflictReason, DIGESTS, findConflicts } from './conflicts.ts'
import { isDaily, keepNewestOfDays } from './daily.ts'
import { type Entities, storedEntities } from './entities.ts'
import {
  followHistory,
  followSeasons,
  followSettings,
  type HistoryFile,
  historyName,
  isHistory,
  removeMultipliers,
} from './follow.ts'
import { type BadLine, ImportError, SHOWN } from './import-error.ts'
import { NotedLines } from './noted-lines.ts'
import { type Row, rowReader } from './reader.ts'
import { records } from './records.ts'
import type { WrittenDate } from './store-positions.ts'
import {
  importedRuns,
  restoreDistributions,
  stagedRuns,
  takeNumbers,
  type UpsertSql,
  upsertSql,
} from './upsert.ts'

export interface ImportDeps {
  pool: Pool
  basePoints: BasePoints
  logoHosts?: readonly string[]
  /** False if imports write no entries of the ledger. */
  keepsLedger?: boolean
  log: { info(fields: object, message?: string): void }
}

export interface ImportProgress {
  /** The file's name, such as `positions.jsonl`. */
  file: string
  bytes: number
  /** The length of the file, if known. */
  size?: number
  lines: number
}

export interface ImportOptions {
  /** True to roll everything back at the end, without a trace. */
  check?: boolean
  /**
   * Leaves only the newest snapshot of each position and day (UTC), of those that were stored
   * before too.
   */
  daily?: boolean
  /** Allows dates of a season whose board is final. */
  reopen?: boolean
  /** The actor in run records and multiplier revisions. */
  requestedBy?: string
  onProgress?(progress: ImportProgress): void
  /** Called with what it does after the files, as words. */
  onPhase?(phase: string): void
  /** Rolls the import back, which then rejects with the signal's reason. */
  signal?: AbortSignal
}

export interface FileSummary {
  /** Lines with a record. */
  lines: number
  /** New or changed records. */
  written: number
}

export interface ImportSummary {
  /** By file name, such as `positions.jsonl`, in the order of the import. */
  files: Record<string, FileSummary>
  /** The distribution dates whose totals changed, as YYYY-MM-DD, in order. */
  dates: string[]
  /** Files with a history, left out because the store has its own. */
  leftOut: string[]
  /** Sentences about what is valid, but probably a mistake. */
  warnings: string[]
  seconds: number
}

/** The history of an exported store: its ids are those of no other store. */
const HISTORY: readonly DatasetFile[] = [
  'base-points-revisions',
  'multiplier-revisions',
  'runs',
  'ledger',
  'seasons',
]

/**
 * Stands in for what a rollback leaves behind: numbers that sequences have assigned. Temporary
 * tables come first in the search path, with the rules that follow from them. No run of the store
 * has a number as large as those of a check.
 */
const CHECKING = `CREATE TEMP SEQUENCE run_id_seq; SELECT setval('run_id_seq', 2000000000); CREATE TEMP SEQUENCE multiplier_revision_id_seq;
  CREATE TEMP SEQUENCE base_points_revision_id_seq;
  DO $$ DECLARE rules text := pg_get_viewdef('multiplier_rule'::regclass); BEGIN
    CREATE TEMP TABLE multiplier ON COMMIT DROP AS TABLE multiplier;
    ALTER TABLE multiplier ADD PRIMARY KEY (pool_address), ADD UNIQUE (id);
    CREATE TEMP TABLE multiplier_revision ON COMMIT DROP AS TABLE multiplier_revision;
    PERFORM setval('multiplier_revision_id_seq', max(id)) FROM multiplier_revision;
    ALTER TABLE multiplier_revision ADD PRIMARY KEY (id), ALTER recorded_at SET DEFAULT clock_timestamp(),
      ALTER id SET DEFAULT nextval('multiplier_revision_id_seq');
    CREATE TRIGGER record_insert AFTER INSERT ON multiplier REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION record_multiplier_revision();
    CREATE TRIGGER record_update AFTER UPDATE ON multiplier REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION record_multiplier_revision();
    EXECUTE 'CREATE TEMP VIEW multiplier_rule AS ' || rules;
  END $$`

/**
 * Imports a dataset atomically in one transaction: records, missing points of positions, users,
 * totals and ranks. Readers see the old data until it ends. A new store takes over the dataset's
 * history too. An import without differences changes nothing, not even the data version. Memory use
 * does not grow with the dataset. A check is an import that is rolled back before the totals.
 * @throws ImportError with the first invalid lines, BAD_INPUT for a file that cannot be read
 */
export async function importDataset(
  { pool, basePoints, logoHosts = [], keepsLedger = true, log }: ImportDeps,
  dataset: Dataset,
  {
    check = false,
    daily = false,
    reopen = false,
    onProgress,
    onPhase,
    signal,
    requestedBy = 'import',
  }: ImportOptions = {},
): Promise<ImportSummary> {
  const startedAt = new Date()
  const started = performance.now()
  signal?.throwIfAborted()
  const work = inTransaction({ pool, signal }, async (client) => {
    await lockWriters(client)
    await actAs(client, requestedBy)
    await client.query(check ? `${CHECKING}; ${stagedRuns}` : stagedRuns)
    await client.query("SET LOCAL work_mem = '64MB'")
    const notes = keepsLedger && !check
    if (notes) await noteChanges(client)
    const run: Run = {
      client,
      basePoints,
      daily,
      notes,
      topology: await topologyOf(client),
      onProgress,
      signal,
      entities: await storedEntities(client),
      badLines: [],
      badCount: 0,
      touched: new Set(),
      dates: new Set(),
      sources: [],
      noted: [],
      doubts: new Map(),
      computed: new Map(),
    }
    const files: Record<string, FileSummary> = {}
    const leftOut: string[] = []
    let hasTokens = false
    const isNew = await isNewStore(client)
    const copied = dataset.rules
    /** The rules that the store keeps. */
    const own: string[] = []
    const hasSeasons = ((await client.query('SELECT FROM season LIMIT 1')).rowCount ?? 0) > 0
    for (const file of datasetFiles) {
      const opened = await dataset.open(file)
      if (copied && isHistory(file) && showsHistory(copied, file)) {
        const touched = new Set(run.touched)
        const follows = await followHistory(client, file, async () => {
          if (!opened) return 0
          files[opened.label] = await importFile(run, file, opened, dataset.name)
          return files[opened.label]?.lines ?? 0
        })
        if (!follows) {
          run.touched = touched
          delete files[`${file}.jsonl`]
          leftOut.push(`${file}.jsonl`)
          own.push(historyName(file))
        } else if (
          file === 'base-points-revisions' &&
          (await followSettings(client, copied, basePoints))
        )
          run.touched.add('base_points_revision')
        continue
      }
      if (!opened) continue
      hasTokens ||= file === 'tokens'
      if (!HISTORY.includes(file) || (isNew && (file !== 'seasons' || !hasSeasons)))
        files[opened.label] = await importFile(run, file, opened, dataset.name)
      else {
        opened.stream.destroy()
        leftOut.push(opened.label)
      }
    }
    onPhase?.('checking')
    if (run.badCount > 0) throw new ImportError(dataset.name, run.badLines, run.badCount)
    const dates = [...run.dates].sort()
    const warnings = await warningsOf(run)
    warnings.push(...futureDates(dates, isoDay(startedAt)))
    if (hasTokens) warnings.push(...(await logoWarnings(client, logoHosts)))
    // Seasons of the dataset have admitted its dates.
    const admits = run.touched.has('season')
    // Dates of a copy that are outside of the other gateway's seasons are there too.
    if (!admits)
      await admitDates(client, copied ? [...(await datesInSeasons(client, dates))] : dates, reopen)
    if (
      copied?.multipliers &&
      !own.includes('multipliers') &&
      (await removeMultipliers(client, isoDay(startedAt)))
    )
      run.touched.add('multiplier')
    if (check) {
      if (copied) warnings.push(...ownRules(own, dataset.name))
      await client.query('ROLLBACK AND CHAIN')
      return { files, dates, leftOut, warnings }
    }
    onPhase?.('refreshing totals and ranks')
    await run.topology.analyze(client, run.touched)
    const record = { requestedBy, startedAt, basePoints, sources: run.sources }
    if (dates.length > 0) {
      const runIds = await takeRunIds(run, dates)
      const sources = run.sources.filter(({ kind }) => kind === 'POSITIONS')
      await openImportRecords(client, { ...record, dates, runIds, sources })
      await refreshRollups(client, {
        dates,
        runIds,
        kind: 'import',
        startedAt,
        noted: notes,
        restored: notes && isNew,
      })
      await finishImportRecords(client, runIds)
      if (!admits) await reopenSeasons(client, dates, runIds)
      const { rows } = await client.query<{ runs: string }>(importedRuns)
      await client.query(restoreDistributions, [rows[0]?.runs])
    }
    if (copied?.seasons) {
      const seasons = await followSeasons(client, copied.seasons, {
        now: startedAt,
        reopen,
        source: dataset.name,
      })
      if (seasons.own) own.push('seasons')
      if (seasons.changed) run.touched.add('season')
      warnings.push(...seasons.warnings)
    }
    if (copied) warnings.push(...ownRules(own, dataset.name))
    onPhase?.('committing')
    // Rolls back the data version, which statements that wrote no row have raised too.
    if (run.touched.size === 0) await client.query('ROLLBACK AND CHAIN')
    // An import without differences is not recorded, unless it shows that one that failed is
    // mended.
    const isUnrecorded =
      run.touched.size > 0 ? !(await tookHistory(client)) : await hasFailedImport(client)
    if (dates.length === 0 && isUnrecorded) await recordImport(client, record)
    return { files, dates, leftOut, warnings }
  })
  const summary = await work.catch(async (thrown: unknown) => {
    const error = seasonsError(pointsError(thrown))
    if (!check) await recordFailedImport(pool, { requestedBy, startedAt, basePoints, error })
    throw error
  })
  const seconds = (performance.now() - started) / 1000
  if (!check)
    log.info(
      { dataset: dataset.name, files: summary.files, dates: summary.dates.length, seconds },
      'imported',
    )
  return { ...summary, seconds }
}

/** Says what is wrong with seasons that Postgres refuses. */
const seasonsError = (error: unknown): unknown =>
  (error as DatabaseError | undefined)?.constraint === 'season_no_overlap'
    ? new GatewayError(
        'BAD_INPUT',
        'Two seasons of seasons.jsonl share a date; nothing was imported.',
      )
    : error

interface Run {
  client: PoolClient
  basePoints: BasePoints
  daily: boolean
  notes: boolean
  topology: Topology
  onProgress: ImportOptions['onProgress']
  signal: AbortSignal | undefined
  /** Entities in the store and in the import so far. */
  entities: Entities
  badLines: BadLine[]
  badCount: number
  /** The tables with written rows. */
  touched: Set<string>
  dates: Set<string>
  sources: SourceReceipt[]
  /** Sentences about lines that were left out or changed. */
  noted: string[]
  /** The lines of each file with a doubt. */
  doubts: Map<string, { what: string; count: number; first: string }>
  /** The positions without points, by pool and date. */
  computed: Map<string, CountedPositions>
}

/** Remembers what a valid record means for the warnings. */
function observe({ doubts }: Run, label: string, { doubt }: Row, line: number) {
  if (!doubt) return
  const { what, field, reason } = doubt
  const { count, first } = doubts.get(label) ?? { count: 0, first: `${line}: ${field} ${reason}` }
  doubts.set(label, { what, count: count + 1, first })
}

const showsHistory = ({ multipliers, basePoints }: CopiedRules, file: HistoryFile) =>
  file === 'multiplier-revisions' ? multipliers : basePoints !== undefined

/** A sentence about the rules that a store keeps. */
function ownRules(own: string[], source: string): string[] {
  if (own.length === 0) return []
  const names = new Intl.ListFormat('en').format(own)
  return [
    `The ${names} of this store are not those of ${source}, so they stay as they are, and new points may differ. To follow ${source}, import it into an empty store.`,
  ]
}

/** Counts the staged positions whose points are computed. */
async function countComputed({ client, computed }: Run): Promise<void> {
  const { rows } = await client.query<CountedPositions>(
    `SELECT pool_address AS pool, distribution_date::text AS date, count(*)::int AS positions FROM staged
     WHERE points_a IS NULL GROUP BY pool_address, distribution_date`,
  )
  for (const { pool, date, positions } of rows) {
    const key = `${pool} ${date}`
    computed.set(key, { pool, date, positions: positions + (computed.get(key)?.positions ?? 0) })
  }
}

async function warningsOf({ client, noted, doubts, computed }: Run): Promise<string[]> {
  const warnings = [...noted]
  for (const [file, { what, count, first }] of doubts) {
    const lines = count === 1 ? 'One line has' : `${count.toLocaleString('en-US')} lines have`
    warnings.push(`${lines} ${what}. The first is ${file}:${first}.`)
  }
  const unscored = await unscoredAmong(client, [...computed.values()])
  if (unscored.length > 0)
    warnings.push(`${unscoredMessage(unscored)} ${unscoredRemedy(unscored, 'import again')}`)
  return warnings
}

/** The number of dates that a warning names. */
const NAMED = 5

function futureDates(dates: string[], today: string): string[] {
  const future = dates.filter((date) => date > today)
  if (future.length === 0) return []
  const named = future.slice(0, NAMED).join(', ')
  const more = future.length > NAMED ? ` and ${future.length - NAMED} more` : ''
  return [
    `${future.length === 1 ? 'A distribution date is' : `${future.length} distribution dates are`} after today, ${today} (UTC): ${named}${more}. The latest counts as the newest.`,
  ]
}

/**
 * True if nothing but failed attempts has been recorded in the store. Their records give way to an
 * imported history.
 */
async function isNewStore(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ is_new: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM multiplier_revision) AND NOT EXISTS (SELECT FROM base_points_revision)
       AND NOT EXISTS (SELECT FROM distribution) AND NOT EXISTS (SELECT FROM run WHERE status <> 'failed') AS is_new`,
  )
  return rows[0]?.is_new === true
}

/** True if the dataset has runs, which are on record in place of one of this import. */
const tookHistory = async (client: PoolClient): Promise<boolean> =>
  ((await client.query('SELECT FROM imported_run LIMIT 1')).rowCount ?? 0) > 0

/**
 * Numbers the runs of the changed dates. Positions that were stored with another number, because a
 * run was recorded meanwhile or a date before has not changed, get the right one. @returns null for
 * a date whose run is recorded already
 */
async function takeRunIds({ client, notes }: Run, dates: string[]): Promise<(string | null)[]> {
  const { rows } = await client.query<{ date: string; expected: string; id: string }>(takeNumbers, [
    dates,
  ])
  for (const { date, expected, id } of rows.filter((one) => one.id !== one.expected)) {
    const values = [id, date, expected]
    await client.query(
      'UPDATE stored_position SET run_id = $1 WHERE distribution_date = $2 AND run_id = $3',
      values,
    )
    if (notes)
      await client.query(
        'UPDATE position_change SET run = $1 WHERE distribution_date = $2 AND run = $3',
        values,
      )
  }
  const ids = new Map(rows.map(({ date, id }) => [date, id]))
  return dates.map((date) => ids.get(date) ?? null)
}

type OpenFile = NonNullable<Awaited<ReturnType<Dataset['open']>>>

/**
 * Reads each chunk of a file while Postgres stores the one before. After the first invalid line it
 * only reads.
 */
async function importFile(
  run: Run,
  file: DatasetFile,
  { label, size, stream }: OpenFile,
  from: string,
): Promise<FileSummary> {
  const { client, signal, onProgress } = run
  const sql = upsertSql(file, run.basePoints, run.topology, run.notes)
  const read = rowReader(records[file], run.entities)
  const summary: FileSummary = { lines: 0, written: 0 }
  const isMended = records[file].mend !== undefined
  const [leftOut, changed] = [new NotedLines('left out'), new NotedLines('changed')]
  /** The line of each key, and its values. */
  const seen = new Map<string, { line: number; values: string }>()
  const isNew = ({ key, texts }: Row, line: number): boolean => {
    const values = texts.join('\t')
    const former = seen.get(key)
    if (!former) seen.set(key, { line, values })
    else if (former.values !== values)
      leftOut.add(line, [{ reason: conflictReason(former.line, records[file].key) }])
    return !former
  }
  const bad = (line: number, problems: { field?: string; reason: string }[]) => {
    run.badCount += problems.length
    run.badLines.push(
      ...problems.slice(0, SHOWN).map((problem) => ({ file: label, line, ...problem })),
    )
    if (run.badLines.length > SHOWN) run.badLines.length = SHOWN
  }

  const digest = createHash('sha256')
  const chunk = new Chunk()
  let storing: Promise<void> | undefined
  /**
   * True if a key may be in the file twice. A file of one chunk without duplicates need not be
   * examined.
   */
  let mayConflict = false
  const store = async ({ hasDuplicates }: Chunk) => {
    if (mayConflict)
      await client.query(
        `INSERT INTO line_digest SELECT key_digest, values_digest, line FROM staged`,
      )
    if (hasDuplicates) await client.query(sql.keepLast)
    if (file === 'positions') await countComputed(run)
    for (const { line, id } of await storeStaged(run, sql, summary))
      bad(line, [{ field: 'id', reason: `${id} is the id of another record` }])
  }
  const flush = async () => {
    await storing
    storing = undefined
    if (run.badCount === 0 && chunk.rows > 0) {
      await stage(client, sql, chunk)
      mayConflict ||= chunk.isFull || chunk.hasDuplicates
      storing = store(chunk)
      storing.catch(() => {})
    }
    chunk.clear()
  }
  const examine = async () => {
    const { conflicts, count } = await findConflicts(client, 'line_digest')
    for (const { line, first } of conflicts)
      bad(line, [{ reason: conflictReason(first, records[file].key) }])
    run.badCount += count - conflicts.length
  }

  // It may fail before it is read, and reading reports that too.
  stream.on('error', () => {})
  if (signal) addAbortSignal(signal, stream)
  await client.query(`${sql.create}; CREATE TEMP TABLE line_digest (${DIGESTS}) ON COMMIT DROP`)
  if (file === 'runs') await client.query('DELETE FROM run')
  try {
    for await (const { first, lines, bytes } of readingErrors(
      label,
      readLines(stream, (bytes) => digest.update(bytes)),
    )) {
      signal?.throwIfAborted()
      for (const [at, line] of lines.entries()) {
        const row = typeof line === 'string' ? read(line) : [line]
        if (row === undefined) continue
        summary.lines++
        if (Array.isArray(row)) {
          if (isMended) leftOut.add(first + at, row)
          else bad(first + at, row)
        } else if (run.badCount === 0 && (!isMended || isNew(row, first + at))) {
          if (row.changes.length > 0) changed.add(first + at, row.changes)
          observe(run, label, row, first + at)
          chunk.add(row, first + at)
        }
        if (chunk.isFull) await flush()
      }
      onProgress?.({
        file: label,
        bytes,
        ...(size !== undefined && { size }),
        lines: summary.lines,
      })
    }
    await flush()
    await storing
    // A file of which nothing fits is another one.
    if (leftOut.count > 0 && seen.size === 0)
      for (const { line, problems } of leftOut.first) bad(line, problems)
    run.noted.push(...leftOut.sentences(label), ...changed.sentences(label))
    if (mayConflict && run.badCount === 0) await examine()
    run.sources.push(receipt(file, `${from}: ${label}`, digest.digest('hex'), summary.lines))
  } finally {
    stream.destroy()
    await storing?.catch(() => {})
  }
  await client.query(`${sql.drop}; DROP TABLE line_digest`)
  if (sql.settle && run.badCount === 0) await client.query(sql.settle)
  if (
    run.daily &&
    isDaily(file) &&
    run.badCount === 0 &&
    (await keepNewestOfDays(client, file)) > 0
  )
    run.touched.add(sql.table)
  return summary
}

/** The kinds of files with other records than analytics. */
const KINDS: Partial<Record<DatasetFile, SourceReceipt['kind']>> = {
  positions: 'POSITIONS',
  prices: 'PRICES',
}

/** The receipt of an imported file in a run's record. */
const receipt = (
  file: DatasetFile,
  name: string,
  digest: string,
  count: number,
): SourceReceipt => ({
  kind: KINDS[file] ?? 'ANALYTICS',
  name,
  digest,
  count,
  block: null,
  time: null,
  fetchedAt: new Date().toISOString(),
})

async function stage(client: PoolClient, sql: UpsertSql, chunk: Chunk): Promise<void> {
  const copy = client.query(copyFrom(sql.copy))
  copy.end(chunk.toBuffer())
  await finished(copy)
}

/**
 * Stores the staged records. Returns the lines whose id belongs to another record, and then stores
 * nothing.
 */
async function storeStaged({ client, touched, dates }: Run, sql: UpsertSql, summary: FileSummary) {
  const clashing = async () =>
    (await client.query<{ line: number; id: string }>(sql.clashes ?? '')).rows
  if (sql.clashes && !sql.refusesClashes) {
    const rows = await clashing()
    if (rows.length > 0) return rows
  }
  if (sql.clashes) await client.query('SAVEPOINT chunk')
  try {
    let written = 0
    if (sql.numberRuns) await client.query(sql.numberRuns)
    for (const { table, text, counts } of sql.upserts) {
      const { rows, rowCount } = await client.query<WrittenDate>(text)
      if (!table) continue
      if (counts === 'dates') for (const { date } of rows) dates.add(date)
      const returned =
        counts === 'dates' ? rows.reduce((sum, row) => sum + row.written, 0) : rows.length
      const count = counts ? returned : (rowCount ?? 0)
      if (count > 0) touched.add(table)
      if (table === sql.table) written += count
    }
    summary.written += written
  } catch (error) {
    if (!sql.clashes || !VIOLATIONS.includes((error as DatabaseError).code ?? '')) throw error
    await client.query('ROLLBACK TO SAVEPOINT chunk')
    const rows = await clashing()
    if (rows.length === 0) throw error
    return rows
  }
  if (sql.clashes) await client.query('RELEASE SAVEPOINT chunk')
  await client.query(sql.clear)
  return []
}

/**
 * SQLSTATEs of an id that another record has: of a unique constraint, and of one that excludes
 * equal rows.
 */
const VIOLATIONS = ['23505', '23P01']

/** Adds the name of the file to an error of reading it. */
async function* readingErrors<T>(label: string, source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError(
      'BAD_INPUT',
      `${label} cannot be read: ${(cause as Error).message}; nothing was imported.`,
    )
  }
}
