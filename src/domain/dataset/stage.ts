import { finished } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Fetched } from '../../sources/fetched.ts'
import { Chunk } from './chunk.ts'
import { storedEntities } from './entities.ts'
import type { Problem } from './problem.ts'
import { type Row, rowReader } from './reader.ts'
import type { RecordFormat } from './records.ts'

export interface Staging {
  format: RecordFormat
  copy: string
  /** True to stage a valid record, a problem to refuse it. */
  keep(row: Row): boolean | Problem
  /** The error for a problem, a clause that names the record. */
  failed(reason: string): Error
}

/** The staging table has no index, so that small chunks cost no more than large ones. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Validates fetched records and copies them into the staging table, each chunk while the next one
 * is read.
 */
export async function stageRecords(
  client: PoolClient,
  { batches, label }: Pick<Fetched, 'batches' | 'label'>,
  { format, copy, keep, failed }: Staging,
): Promise<number> {
  const read = rowReader(format, await storedEntities(client))
  let staged = 0
  let [chunk, other] = [new Chunk(CHUNK_BYTES), new Chunk(CHUNK_BYTES)]
  let copying = Promise.resolve()
  const flush = async () => {
    await copying
    copying = copyIn(client, copy, chunk)
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
        chunk.add(row as Row, first + at)
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

async function copyIn(client: PoolClient, sql: string, chunk: Chunk): Promise<void> {
  if (chunk.rows === 0) return
  const copy = client.query(copyFrom(sql))
  copy.end(chunk.toBuffer())
  await finished(copy)
  chunk.clear()
}
