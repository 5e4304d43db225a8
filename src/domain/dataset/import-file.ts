import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import type { DatabaseError } from 'pg'
import type { Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import {
  type Dataset,
  type DatasetFile,
  readLines,
  type SourceReceipt,
} from '../../sources/index.ts'
import type { CountedPositions } from '../pool/unscored.ts'
import { Chunk } from './chunk.ts'
import { conflictReason } from './conflicts.ts'
import { isDaily, keepNewestOfDays } from './daily.ts'
import type { KnownEntities } from './entities.ts'
import type { BadLines } from './import-error.ts'
import { NotedLines } from './noted-lines.ts'
import type { Problem } from './problem.ts'
import { type ReadRecord, recordReader } from './reader.ts'
import { type RecordFormat, records } from './records.ts'
import { type Clash, Staging } from './staging.ts'
import { FileStore, type ImportContext, type StoredCounts } from './store-file.ts'

export interface ImportProgress {
  file: string
  bytes: number
  size?: number
  lines: number
}

export interface FileSummary {
  /** Lines with a record. */
  lines: number
  /** New or changed records. */
  written: number
}

/** The state that the files of an import share. */
export interface ImportState extends ImportContext {
  writer: Writer
  dataset: string
  daily: boolean
  onProgress: ((progress: ImportProgress) => void) | undefined
  signal: AbortSignal | undefined
  /** Entities in the store and in the import so far. */
  entities: KnownEntities
  bad: BadLines
  /** The tables with written rows. */
  touched: Set<string>
  dates: Set<string>
  sources: SourceReceipt[]
  noted: string[]
  doubts: Map<string, { what: string; count: number; first: string }>
  computed: Map<string, CountedPositions>
}

export type OpenFile = NonNullable<Awaited<ReturnType<Dataset['open']>>>

/**
 * Imports a file in chunks: each is read while Postgres checks and stores the one before. After the
 * first invalid line it only reads.
 */
export async function importFile(
  state: ImportState,
  file: DatasetFile,
  opened: OpenFile,
): Promise<FileSummary> {
  // It may fail before it is read, and reading reports that too.
  opened.stream.on('error', () => {})
  if (state.signal) addAbortSignal(state.signal, opened.stream)
  const lines = new FileLines(state, file, opened.label)
  const staging = await Staging.open(state.writer, file)
  const store = new FileStore(state.writer, file, state)
  const summary: FileSummary = { lines: 0, written: 0 }
  if (file === 'runs') await state.runs.replaceStored()
  // A key may be in the file twice, unless it is one chunk without duplicates.
  let mayConflict = false
  let storing = Promise.resolve()
  try {
    for await (const chunk of readChunks(state, lines, opened)) {
      await storing
      if (state.bad.count > 0 || chunk.rows === 0) continue
      await staging.copy(chunk)
      const { hasDuplicates } = chunk
      mayConflict ||= chunk.isFull || hasDuplicates
      storing = checkChunk(state, lines, staging, { hasDuplicates, mayConflict }).then((fits) =>
        fits ? storeChunk(state, lines, { staging, store, summary }) : undefined,
      )
      storing.catch(() => {})
    }
    await storing
    lines.finish()
    if (mayConflict) await checkConflicts(state, lines, staging)
  } finally {
    await storing.catch(() => {})
  }
  summary.lines = lines.count
  await staging.drop()
  if (state.bad.count === 0) await settle(state, file, store)
  return summary
}

// It yields one chunk again and again, which it clears when the next one is requested.
async function* readChunks(
  { dataset, bad, signal, onProgress, sources }: ImportState,
  lines: FileLines,
  { label, size, stream }: OpenFile,
): AsyncGenerator<Chunk> {
  const chunk = new Chunk()
  const digest = createHash('sha256')
  try {
    const batches = readLines(stream, (bytes) => digest.update(bytes))
    for await (const { first, lines: batch, bytes } of readingErrors(label, batches)) {
      signal?.throwIfAborted()
      for (const [at, line] of batch.entries()) {
        const row = lines.read(line, first + at)
        if (row && bad.count === 0) chunk.add(row, first + at)
        if (!chunk.isFull) continue
        yield chunk
        chunk.clear()
      }
      onProgress?.({ file: label, bytes, ...(size !== undefined && { size }), lines: lines.count })
    }
    yield chunk
    sources.push(receipt(lines.file, `${dataset}: ${label}`, digest.digest('hex'), lines.count))
  } finally {
    stream.destroy()
  }
}

class FileLines {
  readonly file: DatasetFile
  readonly label: string
  count = 0
  readonly #state: ImportState
  readonly #format: RecordFormat
  readonly #readRecord: ReturnType<typeof recordReader>
  readonly #leftOut = new NotedLines('left out')
  readonly #changed = new NotedLines('changed')
  /** The line of each key of a file that is mended, and its values. */
  readonly #seen = new Map<string, { line: number; values: string }>()

  constructor(state: ImportState, file: DatasetFile, label: string) {
    this.file = file
    this.label = label
    this.#state = state
    this.#format = records[file]
    this.#readRecord = recordReader(this.#format, state.entities)
  }

  /** @returns the row of a valid line. Undefined for others, which it notes, and for blank lines */
  read(line: string | Problem, at: number): ReadRecord | undefined {
    const row = typeof line === 'string' ? this.#readRecord(line) : [line]
    if (row === undefined) return undefined
    this.count++
    if (Array.isArray(row)) {
      if (this.#format.mend) this.#leftOut.add(at, row)
      else this.bad(at, row)
      return undefined
    }
    if (this.#format.mend && !this.#isFirst(row, at)) return undefined
    if (row.changes.length > 0) this.#changed.add(at, row.changes)
    this.#noteDoubt(row, at)
    return row
  }

  bad(line: number, problems: Problem[]): void {
    this.#state.bad.add(this.label, line, problems)
  }

  badId({ line, id }: Clash): void {
    this.bad(line, [{ field: 'id', reason: `${id} is the id of another record` }])
  }

  badKey(line: number, first: number): void {
    this.bad(line, [{ reason: conflictReason(first, this.#format.key) }])
  }

  /** Makes sentences of the noted lines. A file of which nothing fits is another one. */
  finish(): void {
    if (this.#leftOut.count > 0 && this.#seen.size === 0)
      for (const { line, problems } of this.#leftOut.first) this.bad(line, problems)
    this.#state.noted.push(
      ...this.#leftOut.sentences(this.label),
      ...this.#changed.sentences(this.label),
    )
  }

  #isFirst({ key, texts }: ReadRecord, line: number): boolean {
    const values = texts.join('\t')
    const former = this.#seen.get(key)
    if (!former) this.#seen.set(key, { line, values })
    else if (former.values !== values)
      this.#leftOut.add(line, [{ reason: conflictReason(former.line, this.#format.key) }])
    return !former
  }

  #noteDoubt({ doubt }: ReadRecord, line: number): void {
    if (!doubt) return
    const { doubts } = this.#state
    const first = `${line}: ${doubt.field} ${doubt.reason}`
    const noted = doubts.get(this.label) ?? { what: doubt.what, count: 0, first }
    doubts.set(this.label, { ...noted, what: doubt.what, count: noted.count + 1 })
  }
}

// @returns false if the staged chunk must not be stored
async function checkChunk(
  state: ImportState,
  lines: FileLines,
  staging: Staging,
  { hasDuplicates, mayConflict }: { hasDuplicates: boolean; mayConflict: boolean },
): Promise<boolean> {
  if (mayConflict) await staging.keepLines()
  if (hasDuplicates) await staging.keepLast()
  if (lines.file === 'positions') await countComputed(state)
  if (findsClashesItself(state.writer, lines.file)) return true
  const clashes = await staging.clashes()
  for (const clash of clashes) lines.badId(clash)
  return clashes.length === 0
}

// Positions on remote servers have no unique id. Elsewhere a constraint refuses clashes.
const findsClashesItself = (writer: Writer, file: DatasetFile) =>
  !writer.usersAreRemote || file !== 'positions'

async function storeChunk(
  { writer, touched, dates }: ImportState,
  lines: FileLines,
  { staging, store, summary }: { staging: Staging; store: FileStore; summary: FileSummary },
): Promise<void> {
  const mayClash = records[lines.file].unique !== undefined
  if (mayClash) await writer.query('SAVEPOINT chunk')
  let written: StoredCounts
  try {
    written = await store.store()
  } catch (error) {
    if (!mayClash || !VIOLATIONS.includes((error as DatabaseError).code ?? '')) throw error
    await writer.query('ROLLBACK TO SAVEPOINT chunk')
    const clashes = await staging.clashes()
    if (clashes.length === 0) throw error
    for (const clash of clashes) lines.badId(clash)
    return
  }
  if (mayClash) await writer.query('RELEASE SAVEPOINT chunk')
  await staging.clear()
  for (const [table, rows] of written.rows) if (rows > 0) touched.add(table)
  for (const date of written.dates) dates.add(date)
  summary.written += written.rows.get(store.table) ?? 0
}

// SQLSTATEs of an id that another record has: of a unique and of an exclusion constraint.
const VIOLATIONS = ['23505', '23P01']

async function countComputed({ writer, computed }: ImportState): Promise<void> {
  const { rows } = await writer.query<CountedPositions>(
    `SELECT pool_address AS pool, distribution_date::text AS date, count(*)::int AS positions
     FROM staged WHERE points_a IS NULL GROUP BY pool_address, distribution_date`,
  )
  for (const { pool, date, positions } of rows) {
    const key = `${pool} ${date}`
    computed.set(key, { pool, date, positions: positions + (computed.get(key)?.positions ?? 0) })
  }
}

async function checkConflicts(
  { bad }: ImportState,
  lines: FileLines,
  staging: Staging,
): Promise<void> {
  if (bad.count > 0) return
  const { conflicts, count } = await staging.conflicts()
  for (const { line, first } of conflicts) lines.badKey(line, first)
  bad.addUnseen(count - conflicts.length)
}

async function settle(
  { writer, daily, touched }: ImportState,
  file: DatasetFile,
  store: FileStore,
): Promise<void> {
  await store.settle()
  if (daily && isDaily(file) && (await keepNewestOfDays(writer, file)) > 0) touched.add(store.table)
}

const KINDS: Partial<Record<DatasetFile, SourceReceipt['kind']>> = {
  positions: 'POSITIONS',
  prices: 'PRICES',
}

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
