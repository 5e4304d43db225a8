import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { PoolClient } from 'pg'
import { inTransaction } from '../db/connect/transaction.ts'
import type { Deps } from '../deps.ts'
import { GatewayError } from '../errors.ts'
import { Graph } from '../graphql/execution/graph.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { writeFault } from '../sources/index.ts'
import { isoDay } from '../time.ts'
import { formats } from './formats.ts'
import { type List, listsOf, typeOfColumn } from './lists.ts'
import { writeParquet } from './parquet.ts'
import {
  INDEX,
  indexText,
  type PublishedDate,
  type PublishedFile,
  readIndex,
} from './published-index.ts'
import { readRequest, type Table } from './read-request.ts'
import { type Row, rowsOf } from './rows.ts'

type PublishDeps = Deps & { signal?: AbortSignal }

/** A date as it is stored. */
export type StoredDate = Omit<PublishedDate, 'files' | 'digest'> & { digest: string | null }

/** The numbers of files that were written and kept, and of dates that have no digest. */
export interface PublishSummary {
  written: number
  kept: number
  withoutDigest: number
}

// The index is written again at most this often before the end.
const INDEX_MS = 1000
const MODE = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
const KEY_DIGITS = 8
const LEFTOVER_MS = 3_600_000
const csv = formats.csv as (typeof formats)[string]

/**
 * Writes the board, the positions and the multipliers of each date before today, and then an index
 * of all. Names say what the rows depend on, so a file that the index has is not written again.
 * @throws BAD_INPUT if the directory has another index or cannot be written
 */
export async function publish(
  deps: PublishDeps,
  dir: string,
  onDate: (date: string, files: number) => void = () => {},
): Promise<PublishSummary> {
  const before = await readDirectory(dir)
  const { pool } = deps.store
  const { signal } = deps
  try {
    return await inTransaction({ pool, signal, mode: MODE }, async (client) => {
      const tables = new Tables(deps, client)
      return writeDates(tables, dir, before, { until: isoDay(deps.now()), signal, onDate })
    })
  } catch (error) {
    throw refused(dir, error)
  }
}

function refused(dir: string, error: unknown): unknown {
  const { code, path = dir } = error as NodeJS.ErrnoException
  const reason = code === 'EEXIST' ? 'is not a directory' : writeFault(error as Error)
  return reason ? new GatewayError('BAD_INPUT', `${path} ${reason}.`) : error
}

async function readDirectory(dir: string): Promise<PublishedDate[]> {
  try {
    await mkdir(dir, { recursive: true })
    return readIndex(await readFile(join(dir, INDEX), 'utf8'), join(dir, INDEX))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw refused(dir, error)
  }
}

interface WriteOptions {
  until: string
  signal: AbortSignal | undefined
  onDate(date: string, files: number): void
}

async function writeDates(
  tables: Tables,
  dir: string,
  before: PublishedDate[],
  { until, signal, onDate }: WriteOptions,
): Promise<PublishSummary> {
  const all = await tables.dates(until)
  if (all.length === 0)
    throw new GatewayError('NOT_FOUND', 'This store has no past distribution date to publish.')
  const known = new Map(before.flatMap(({ files }) => files.map((file) => [file.name, file])))
  // Dates that are not written yet keep their earlier files.
  const index = new Map(before.map((date) => [date.date, date]))
  const stored = new Set(all.map(({ date }) => date))
  for (const date of index.keys()) if (!stored.has(date)) index.delete(date)
  const counts = { written: 0, kept: 0, withoutDigest: 0 }
  let savedAt = performance.now()
  try {
    let history = ''
    for (const { digest, ...date } of all) {
      signal?.throwIfAborted()
      // The points up to a date depend on all runs up to it.
      history = sha256(`${history}${date.date} ${date.run} ${digest}\n`)
      if (digest === null) {
        counts.withoutDigest++
        continue
      }
      const files: PublishedFile[] = []
      let isNew = false
      for (const [name, query] of Object.entries(tablesOf(date.date))) {
        const key = name === 'leaderboard' ? history : digest
        const base = `${date.date}/${name}-${date.run ?? 'import'}-${key.slice(0, KEY_DIGITS)}`
        const old = await keptFiles(dir, base, known)
        files.push(...(old ?? (await tables.write(dir, base, name, query))))
        isNew ||= old === undefined
        counts[old ? 'kept' : 'written'] += ENDS.length
      }
      index.set(date.date, { ...date, digest, files })
      if (!isNew) continue
      onDate(date.date, files.length)
      if (performance.now() - savedAt < INDEX_MS) continue
      await saveIndex(dir, index)
      savedAt = performance.now()
    }
  } finally {
    await saveIndex(dir, index)
  }
  return counts
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const ENDS = ['csv.gz', 'parquet']

const tablesOf = (date: string): Record<string, Record<string, string>> => ({
  leaderboard: { scope: JSON.stringify({ asOf: date }) },
  positions: { where: JSON.stringify({ date: { eq: date } }) },
  multipliers: { asOf: date },
})

/** The files of a table, if the index has them and they have their length. */
async function keptFiles(
  dir: string,
  base: string,
  known: Map<string, PublishedFile>,
): Promise<PublishedFile[] | undefined> {
  const files = ENDS.flatMap((end) => known.get(`${base}.${end}`) ?? [])
  const sizes = await Promise.all(
    files.map(({ name }) =>
      stat(join(dir, name)).then(
        ({ size }) => size,
        () => undefined,
      ),
    ),
  )
  const areThere =
    files.length === ENDS.length && files.every((file, at) => file.bytes === sizes[at])
  return areThere ? files : undefined
}

async function saveIndex(dir: string, index: Map<string, PublishedDate>): Promise<void> {
  const dates = [...index.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
  const partial = partialOf(join(dir, INDEX))
  const file = await open(partial, 'wx')
  try {
    await file.writeFile(indexText(dates)).finally(() => file.close())
    await place(partial, join(dir, INDEX))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

// Two processes that publish at once write different files, and then give them the same name.
const partialOf = (path: string) => `${path}.${randomUUID()}.partial`

// A killed process leaves files that it had not finished. Those of another that runs are newer.
async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.endsWith('.partial')) continue
    const path = join(dir, name)
    const since = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now)
    if (Date.now() - since > LEFTOVER_MS) await rm(path, { force: true })
  }
}

// A name stands for bytes that are on the disk.
async function place(partial: string, path: string): Promise<void> {
  const file = await open(partial, 'r+')
  await file.sync().finally(() => file.close())
  await rename(partial, path)
}

const OF_DATES =
  'date,digest,finishedAt,run.recordId,run.basePointsDeposit,run.basePointsBorrow,' +
  'run.basePointsProtectedMinLtv'

function storedDate(row: Row): StoredDate {
  const [date, digest, finishedAt, run, deposit, borrow, protectedMinLtv] = row.map((json) =>
    JSON.parse(json),
  )
  const basePoints = run === null ? null : { deposit, borrow, protectedMinLtv }
  return { date, run: run === null ? null : String(run), basePoints, digest, finishedAt }
}

/** The tables of one snapshot. */
export class Tables {
  readonly #client: PoolClient
  readonly #graph: Graph
  readonly #lists: Map<string, List>

  constructor(deps: Deps, client: PoolClient) {
    this.#client = client
    this.#graph = new Graph(createSchema(deps), deps)
    this.#lists = listsOf(this.#graph.schema.getQueryType())
  }

  /** All distribution dates before a day, oldest first. */
  async dates(until: string): Promise<StoredDate[]> {
    const { table } = this.#table('distributions', {
      fields: OF_DATES,
      where: JSON.stringify({ date: { lt: until } }),
      orderBy: 'DATE',
    })
    const dates: StoredDate[] = []
    for await (const rows of this.#rows(table)) dates.push(...rows.map(storedDate))
    return dates
  }

  /** Writes a table in all formats, read once. The files get their names when all are whole. */
  async write(
    dir: string,
    base: string,
    name: string,
    query: Record<string, string>,
  ): Promise<PublishedFile[]> {
    const { list, table } = this.#table(name, query)
    const path = join(dir, base)
    await mkdir(dirname(path), { recursive: true })
    await removeLeftovers(dirname(path))
    const files = ENDS.map((end) => ({ end, partial: partialOf(`${path}.${end}`) }))
    const [text, parquet] = files as [(typeof files)[number], (typeof files)[number]]
    try {
      const rows = await this.#writeBoth(list, table, text.partial, parquet.partial)
      const written: PublishedFile[] = []
      for (const { end, partial } of files)
        written.push({ name: `${base}.${end}`, rows, ...(await digestOf(partial)) })
      for (const { end, partial } of files) await place(partial, `${path}.${end}`)
      return written
    } catch (error) {
      for (const { partial } of files) await rm(partial, { force: true })
      throw error
    }
  }

  async #writeBoth(list: List, table: Table, text: string, parquet: string): Promise<number> {
    const { columns } = table
    const zip = createGzip()
    const file = createWriteStream(text, { flags: 'wx' })
    const written = finished(zip.pipe(file))
    written.catch(() => {})
    file.once('error', (error) => zip.destroy(error))
    const write = async (lines: string) => {
      if (!zip.write(lines))
        await Promise.race([new Promise((go) => zip.once('drain', go)), written])
    }
    const chunks = this.#rows(table)
    const values = async function* () {
      await write(csv.head(columns, table))
      for await (const rows of chunks) {
        await write(csv.lines(rows, columns, table))
        yield rows
      }
    }
    try {
      const typed = columns.map((name) => ({ name, type: typeOfColumn(list.type, name) }))
      const count = await writeParquet(parquet, typed, values())
      zip.end()
      await written
      return count
    } finally {
      zip.destroy()
      file.destroy()
    }
  }

  #table(name: string, query: Record<string, string>): { list: List; table: Table } {
    const list = this.#lists.get(name)
    if (!list) throw new Error(`The graph has no list ${name}.`)
    return { list, table: readRequest(this.#graph, list, query) }
  }

  #rows(table: Table) {
    return rowsOf(this.#graph.deps.store, this.#client, table, async () => {})
  }
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
