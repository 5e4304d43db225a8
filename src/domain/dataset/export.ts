import type { Pool, PoolClient } from 'pg'
import { inTransaction } from '../../db/connect/transaction.ts'
import { createDirectory, type DatasetFile, writeFault } from '../../sources/index.ts'
import { type WriteFile, writeCsv, writeJson, writeSpreadsheet } from './copy.ts'
import { exportedFiles, records } from './records.ts'
import type { DateRange } from './select.ts'

export type ExportFormat = 'jsonl' | 'csv' | 'spreadsheet' | 'parquet'

export interface ExportProgress {
  file: string
  rows: number
  expected?: number | undefined
}

export interface ExportOptions extends DateRange {
  format?: ExportFormat
  /** The files to write, without suffix. All by default. */
  files?: readonly DatasetFile[]
  onProgress?(progress: ExportProgress): void
  signal?: AbortSignal
}

export interface ExportSummary {
  files: Record<string, { rows: number }>
  seconds: number
}

// Doubles are written exactly. Tables are read whole, so a nested loop is never best, and readers
// keep a core.
const SESSION = `SET LOCAL TimeZone = 'UTC';
  SET LOCAL extra_float_digits = 1;
  SET LOCAL work_mem = '64MB';
  SET LOCAL enable_nestloop = off;
  SET LOCAL max_parallel_workers_per_gather = 0`

const writers: Record<ExportFormat, () => WriteFile | Promise<WriteFile>> = {
  jsonl: () => writeJson,
  csv: () => writeCsv,
  spreadsheet: () => writeSpreadsheet,
  parquet: async () => (await import('./parquet.ts')).writeParquet,
}

/**
 * Writes the records of the store to a directory, all from one snapshot: as a dataset in the import
 * format, or as CSV or Parquet. The files get their names when all are written; after an error none
 * is left. Memory use does not grow with the store.
 * @throws BAD_INPUT for a directory that is not empty or cannot be written
 */
export async function exportStore(
  pool: Pool,
  dir: string,
  options: ExportOptions = {},
): Promise<ExportSummary> {
  const { format = 'jsonl', files = exportedFiles, signal, onProgress, from, to } = options
  const started = performance.now()
  const writeFile = await writers[format]()
  const suffix = format === 'spreadsheet' ? 'csv' : format
  const directory = await createDirectory(dir)
  const counts: Record<string, () => number> = {}
  try {
    await inTransaction(
      { pool, signal, mode: 'ISOLATION LEVEL REPEATABLE READ READ ONLY' },
      async (client) => {
        await client.query(SESSION)
        for (const file of exportedFiles.filter((one) => files.includes(one))) {
          signal?.throwIfAborted()
          const name = `${file}.${suffix}`
          const expected = (from ?? to) ? undefined : await estimate(client, file)
          const onRows = (rows: number) => onProgress?.({ file: name, rows, expected })
          counts[name] = await writeFile(client, {
            file,
            path: await directory.create(name),
            range: { from, to },
            withPrices: files.includes('prices'),
            onRows,
          })
        }
      },
    )
    await directory.complete()
  } catch (error) {
    await directory.discard()
    const fault = writeFault(error as NodeJS.ErrnoException)
    throw fault ? new Error(`${dir} ${fault}; nothing was exported.`, { cause: error }) : error
  }
  return {
    files: Object.fromEntries(
      Object.entries(counts).map(([name, rows]) => [name, { rows: rows() }]),
    ),
    seconds: (performance.now() - started) / 1000,
  }
}

async function estimate(client: PoolClient, file: DatasetFile): Promise<number | undefined> {
  const { rows } = await client.query<{ rows: number }>(
    'SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = $1::regclass',
    [records[file].stored ?? records[file].table],
  )
  const expected = rows[0]?.rows ?? 0
  return expected > 0 ? expected : undefined
}
