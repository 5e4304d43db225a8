import type { Fetched } from '../../sources/index.ts'
import { Chunk } from './chunk.ts'
import { storedEntities } from './entities.ts'
import type { Problem } from './problem.ts'
import { type ReadRecord, recordReader } from './reader.ts'
import type { Staging } from './staging.ts'

export interface StageOptions {
  /** True to stage a valid record, a problem to refuse it. */
  keep(row: ReadRecord): boolean | Problem
  /** The error for a problem, a clause that names the record. */
  failed(reason: string): Error
}

// The staging table has no index, so that small chunks cost no more than large ones.
const CHUNK_BYTES = 1024 * 1024

/**
 * Validates fetched records and copies them into the staging table, each chunk while the next one
 * is read.
 */
export async function stageRecords(
  staging: Staging,
  { batches, label }: Pick<Fetched, 'batches' | 'label'>,
  { keep, failed }: StageOptions,
): Promise<number> {
  const read = recordReader(staging.format, await storedEntities(staging.writer))
  let staged = 0
  let [chunk, other] = [new Chunk(CHUNK_BYTES), new Chunk(CHUNK_BYTES)]
  let copying = Promise.resolve()
  const flush = async () => {
    await copying
    copying = copyIn(staging, chunk)
    copying.catch(() => {})
    ;[chunk, other] = [other, chunk]
  }
  try {
    for await (const { first, records } of batches)
      for (const [at, record] of records.entries()) {
        const row =
          typeof record === 'object' && 'reason' in record ? [record as Problem] : read(record)
        if (row === undefined) continue
        const kept = Array.isArray(row) ? row[0] : keep(row)
        if (typeof kept === 'object') {
          const field = kept.field ? `${kept.field} ` : ''
          throw failed(`${label}:${first + at}: ${field}${kept.reason}`)
        }
        if (!kept) continue
        staged++
        chunk.add(row as ReadRecord, first + at)
        if (chunk.isFull) await flush()
      }
    await flush()
  } finally {
    // Frees the connection for the next statement, which may be a rollback.
    await copying.catch(() => {})
  }
  await copying
  return staged
}

async function copyIn(staging: Staging, chunk: Chunk): Promise<void> {
  if (chunk.rows === 0) return
  await staging.copy(chunk)
  chunk.clear()
}
