import type { DatabaseError, Pool } from 'pg'
import { inWrite, type Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import {
  type CopiedRules,
  type Dataset,
  type DatasetFile,
  datasetFiles,
} from '../../sources/index.ts'
import { isoDay } from '../../time.ts'
import { logoWarnings } from '../asset/logo.ts'
import {
  finishImportRecords,
  hasFailedImport,
  openImportRecords,
  recordFailedImport,
  recordImport,
} from '../distribution/run-record.ts'
import { RunTables } from '../distribution/run-tables.ts'
import { actAs } from '../multiplier/update.ts'
import { type BasePoints, pointsError } from '../points/formula.ts'
import { refreshRollups } from '../points/refresh-rollups.ts'
import { unscoredAmong, unscoredMessage, unscoredRemedy } from '../pool/unscored.ts'
import { admitDates, datesInSeasons, reopenSeasons } from '../season/admit-date.ts'
import { storedEntities } from './entities.ts'
import {
  followHistory,
  followSeasons,
  followSettings,
  type HistoryFile,
  historyName,
  isHistory,
  removeMultipliers,
} from './follow.ts'
import { BadLines } from './import-error.ts'
import {
  type FileSummary,
  type ImportProgress,
  type ImportState,
  importFile,
  type OpenFile,
} from './import-file.ts'
import { ImportRuns } from './import-runs.ts'
import { shadowSequences } from './shadow-sequences.ts'

export interface ImportDeps {
  pool: Pool
  basePoints: BasePoints
  logoHosts?: readonly string[]
  keepsLedger?: boolean
  log: { info(fields: object, message?: string): void }
}

export interface ImportOptions {
  /**
   * Leaves only the newest snapshot of each position and day (UTC), of those that were stored
   * before too.
   */
  daily?: boolean
  reopen?: boolean
  /** The actor in run records and multiplier revisions. */
  requestedBy?: string
  onProgress?(progress: ImportProgress): void
  /** Called with what it does after the files, as words. */
  onPhase?(phase: string): void
  /** Rolls the import back, which then rejects with the signal's reason. */
  signal?: AbortSignal
}

export interface ImportSummary {
  /** By file name, such as `positions.jsonl`, in the order of the import. */
  files: Record<string, FileSummary>
  dates: string[]
  /** Files with a history, left out because the store has its own. */
  leftOut: string[]
  warnings: string[]
  seconds: number
}

// The history of an exported store: its ids are those of no other store.
const HISTORY: readonly DatasetFile[] = [
  'base-points-revisions',
  'multiplier-revisions',
  'runs',
  'ledger',
  'seasons',
]

/**
 * Imports a dataset atomically in one transaction: records, missing points of positions, users,
 * totals and ranks. Readers see the old data until it ends. A new store takes over the dataset's
 * history too. An import without differences changes nothing, not even the data version. Memory use
 * does not grow with the dataset.
 * @throws ImportError with the first invalid lines, BAD_INPUT for a file that cannot be read
 */
export async function importDataset(
  deps: ImportDeps,
  dataset: Dataset,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { pool, basePoints, log } = deps
  const { requestedBy = ACTOR, onPhase, signal } = options
  const startedAt = new Date()
  const elapsed = stopwatch()
  signal?.throwIfAborted()
  const work = inWrite({ pool, signal }, async (writer) => {
    await writer.lock()
    const run = await begin(writer, deps, dataset, { ...options, startedAt })
    await loadFiles(run)
    onPhase?.('checking')
    await checkWhole(run)
    onPhase?.('refreshing totals and ranks')
    await refresh(run)
    await copySeasons(run)
    onPhase?.('committing')
    await record(run)
    return summaryOf(run)
  })
  const summary = await work.catch(async (thrown: unknown) => {
    const error = importError(thrown)
    await recordFailedImport(pool, { requestedBy, startedAt, basePoints, error })
    throw error
  })
  const seconds = elapsed()
  const { files, dates } = summary
  log.info({ dataset: dataset.name, files, dates: dates.length, seconds }, 'imported')
  return { ...summary, seconds }
}

/**
 * Does the same up to the totals and rolls it back, without a trace.
 * @throws the errors of `importDataset`
 */
export async function checkDataset(
  deps: ImportDeps,
  dataset: Dataset,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { onPhase, signal } = options
  const startedAt = new Date()
  const elapsed = stopwatch()
  signal?.throwIfAborted()
  const work = inWrite({ pool: deps.pool, signal }, async (writer) => {
    await writer.lock()
    await shadowSequences(writer)
    const withoutLedger = { ...deps, keepsLedger: false }
    const run = await begin(writer, withoutLedger, dataset, { ...options, startedAt })
    await loadFiles(run)
    onPhase?.('checking')
    await checkWhole(run)
    await writer.query('ROLLBACK AND CHAIN')
    return summaryOf(run)
  })
  const summary = await work.catch((thrown: unknown) => {
    throw importError(thrown)
  })
  return { ...summary, seconds: elapsed() }
}

const ACTOR = 'import'

function stopwatch(): () => number {
  const started = performance.now()
  return () => (performance.now() - started) / 1000
}

interface ImportRun extends ImportState {
  from: Dataset
  logoHosts: readonly string[]
  requestedBy: string
  startedAt: Date
  reopen: boolean
  files: Record<string, FileSummary>
  leftOut: string[]
  warnings: string[]
  isNew: boolean
  hadSeasons: boolean
  ownRules: string[]
}

async function begin(
  writer: Writer,
  { basePoints, logoHosts = [], keepsLedger = true }: ImportDeps,
  dataset: Dataset,
  options: ImportOptions & { startedAt: Date },
): Promise<ImportRun> {
  const { requestedBy = ACTOR, startedAt, daily = false, reopen = false } = options
  await actAs(writer, requestedBy)
  const runs = await ImportRuns.open(writer)
  await writer.query("SET LOCAL work_mem = '64MB'")
  return {
    writer,
    basePoints,
    runs,
    tables: await RunTables.open(writer, keepsLedger),
    dataset: dataset.name,
    from: dataset,
    logoHosts,
    requestedBy,
    startedAt,
    daily,
    reopen,
    onProgress: options.onProgress,
    signal: options.signal,
    entities: await storedEntities(writer),
    isNew: await isNewStore(writer),
    hadSeasons: await hasRows(writer, 'season'),
    bad: new BadLines(),
    sources: [],
    noted: [],
    doubts: new Map(),
    computed: new Map(),
    touched: new Set(),
    dates: new Set(),
    files: {},
    leftOut: [],
    warnings: [],
    ownRules: [],
  }
}

async function loadFiles(run: ImportRun): Promise<void> {
  const { rules } = run.from
  for (const file of datasetFiles) {
    const opened = await run.from.open(file)
    if (rules && isHistory(file) && showsHistory(rules, file))
      await loadCopiedHistory(run, rules, file, opened)
    else if (opened && takes(run, file)) await loadFile(run, file, opened)
    else if (opened) {
      opened.stream.destroy()
      run.leftOut.push(opened.label)
    }
  }
}

const takes = ({ isNew, hadSeasons }: ImportRun, file: DatasetFile): boolean =>
  !HISTORY.includes(file) || (isNew && (file !== 'seasons' || !hadSeasons))

async function loadFile(run: ImportRun, file: DatasetFile, opened: OpenFile): Promise<FileSummary> {
  const summary = await importFile(run, file, opened)
  run.files[opened.label] = summary
  return summary
}

// A store with other rules than the gateway that is copied leaves them out.
async function loadCopiedHistory(
  run: ImportRun,
  rules: CopiedRules,
  file: HistoryFile,
  opened: OpenFile | undefined,
): Promise<void> {
  const { writer, basePoints } = run
  const touched = new Set(run.touched)
  const follows = await followHistory(writer, file, async () => {
    if (!opened) return 0
    const { lines } = await loadFile(run, file, opened)
    return lines
  })
  if (!follows) {
    run.touched = touched
    delete run.files[`${file}.jsonl`]
    run.leftOut.push(`${file}.jsonl`)
    run.ownRules.push(historyName(file))
  } else if (file === 'base-points-revisions' && (await followSettings(writer, rules, basePoints)))
    run.touched.add('base_points_revision')
}

// Checks what depends on all files. @throws ImportError for invalid lines, CONFLICT for a date that
// no season admits
async function checkWhole(run: ImportRun): Promise<void> {
  const { writer, from, startedAt, reopen, logoHosts, warnings } = run
  run.bad.assertNone(run.dataset)
  const dates = datesOf(run)
  const today = isoDay(startedAt)
  warnings.push(...(await warningsOf(run)), ...futureDates(dates, today))
  if (Object.keys(run.files).some((name) => name.startsWith('tokens.')))
    warnings.push(...(await logoWarnings(writer, logoHosts)))
  // Dates of a copy that are outside of the other gateway's seasons are there too.
  if (!hasOwnSeasons(run))
    await admitDates(
      writer,
      from.rules ? [...(await datesInSeasons(writer, dates))] : dates,
      reopen,
    )
  const followsMultipliers = from.rules?.multipliers && !run.ownRules.includes('multipliers')
  if (followsMultipliers && (await removeMultipliers(writer, today))) run.touched.add('multiplier')
}

// Seasons of the dataset have admitted its dates.
const hasOwnSeasons = ({ touched }: ImportRun) => touched.has('season')

const datesOf = ({ dates }: ImportRun) => [...dates].sort()

async function refresh(run: ImportRun): Promise<void> {
  const { writer, runs, tables, requestedBy, startedAt, basePoints } = run
  await writer.analyze(run.touched)
  const dates = datesOf(run)
  if (dates.length === 0) return
  const runIds = await runs.take(dates, tables)
  const sources = run.sources.filter(({ kind }) => kind === 'POSITIONS')
  const started = { requestedBy, startedAt, basePoints, sources }
  await openImportRecords(writer, { ...started, dates, runIds })
  if (tables.changes && run.isNew) await tables.keepEntriesWithoutDay(dates)
  await refreshRollups(tables, { dates, runIds, kind: 'import', startedAt })
  await finishImportRecords(writer, runIds)
  if (!hasOwnSeasons(run)) await reopenSeasons(writer, dates, runIds)
  await runs.restoreDistributions()
}

// The points are stored by now, so the boards can become final.
async function copySeasons(run: ImportRun): Promise<void> {
  const { writer, from, dataset, startedAt, reopen } = run
  if (!from.rules?.seasons) return
  const options = { now: startedAt, reopen, source: dataset }
  const seasons = await followSeasons(writer, from.rules.seasons, options)
  if (seasons.own) run.ownRules.push('seasons')
  if (seasons.changed) run.touched.add('season')
  run.warnings.push(...seasons.warnings)
}

// Each distribution date has its own record. An import without differences is recorded only after
// one that failed, to show that it is mended.
async function record(run: ImportRun): Promise<void> {
  const { writer, runs, touched, dates, requestedBy, startedAt, basePoints, sources } = run
  // Rolls back the data version, which statements that wrote no row have raised too.
  if (touched.size === 0) await writer.query('ROLLBACK AND CHAIN')
  const isWorthRecording =
    touched.size > 0 ? !(await runs.areAdopted()) : await hasFailedImport(writer)
  if (dates.size === 0 && isWorthRecording)
    await recordImport(writer, { requestedBy, startedAt, basePoints, sources })
}

function summaryOf(run: ImportRun): Omit<ImportSummary, 'seconds'> {
  const { files, leftOut, warnings, ownRules, dataset, from } = run
  const kept = from.rules ? ownRulesWarning(ownRules, dataset) : []
  return { files, dates: datesOf(run), leftOut, warnings: [...warnings, ...kept] }
}

function importError(thrown: unknown): unknown {
  if ((thrown as DatabaseError | undefined)?.constraint !== 'season_no_overlap')
    return pointsError(thrown)
  return new GatewayError(
    'BAD_INPUT',
    'Two seasons of seasons.jsonl share a date; nothing was imported.',
  )
}

const showsHistory = ({ multipliers, basePoints }: CopiedRules, file: HistoryFile) =>
  file === 'multiplier-revisions' ? multipliers : basePoints !== undefined

function ownRulesWarning(own: string[], source: string): string[] {
  if (own.length === 0) return []
  const names = new Intl.ListFormat('en').format(own)
  return [
    `The ${names} of this store are not those of ${source}, so they stay as they are, and new ` +
      `points may differ. To follow ${source}, import it into an empty store.`,
  ]
}

async function warningsOf({ writer, noted, doubts, computed }: ImportRun): Promise<string[]> {
  const warnings = [...noted]
  for (const [file, { what, count, first }] of doubts) {
    const lines = count === 1 ? 'One line has' : `${count.toLocaleString('en-US')} lines have`
    warnings.push(`${lines} ${what}. The first is ${file}:${first}.`)
  }
  const unscored = await unscoredAmong(writer, [...computed.values()])
  if (unscored.length > 0)
    warnings.push(`${unscoredMessage(unscored)} ${unscoredRemedy(unscored, 'import again')}`)
  return warnings
}

const NAMED = 5

function futureDates(dates: string[], today: string): string[] {
  const future = dates.filter((date) => date > today)
  if (future.length === 0) return []
  const subject =
    future.length === 1 ? 'A distribution date is' : `${future.length} distribution dates are`
  const named = future.slice(0, NAMED).join(', ')
  const more = future.length > NAMED ? ` and ${future.length - NAMED} more` : ''
  return [
    `${subject} after today, ${today} (UTC): ${named}${more}. The latest counts as the newest.`,
  ]
}

// Records of failed attempts give way to an imported history.
async function isNewStore(writer: Writer): Promise<boolean> {
  const { rows } = await writer.query<{ is_new: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM multiplier_revision)
       AND NOT EXISTS (SELECT FROM base_points_revision)
       AND NOT EXISTS (SELECT FROM distribution)
       AND NOT EXISTS (SELECT FROM run WHERE status <> 'failed') AS is_new`,
  )
  return rows[0]?.is_new === true
}

const hasRows = async (writer: Writer, table: string): Promise<boolean> =>
  ((await writer.query(`SELECT FROM ${table} LIMIT 1`)).rowCount ?? 0) > 0
