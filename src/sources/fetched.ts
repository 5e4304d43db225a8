import { createHash, type Hash } from 'node:crypto'
import type { UnreadableLine } from './dataset/lines.ts'

export interface Fetched {
  /** The name of the data in messages, such as a file name. */
  label: string
  /** The records in order. They may include others than those that were requested. */
  batches: AsyncIterable<RecordBatch>
  /** Receipts of what was fetched. Complete once all batches are read. */
  receipts(): SourceReceipt[]
}

export interface RecordBatch {
  /** The number of the first record, starting at 1, for messages. */
  first: number
  /** Records in the import format: lines of JSON or objects. */
  records: (string | Record<string, unknown> | UnreadableLine)[]
}

/** A receipt of what was fetched from a source, for the run's record. */
export interface SourceReceipt {
  kind: 'POSITIONS' | 'PRICES' | 'ANALYTICS'
  /** The source's name, without secrets. */
  name: string
  /** SHA-256 of the payload as received (decompressed), page after page, in hexadecimal. */
  digest: string
  count: number
  /** The block of the data as a decimal integer, if the source reports one. */
  block: string | null
  /** The requested point in time in ISO 8601. Null if the source has none, such as a file. */
  time: string | null
  /** When the last of the data arrived, in ISO 8601. */
  fetchedAt: string
}

type Records = RecordBatch['records']

/**
 * Numbers and counts the records that arrive from a source, for the receipt.
 * @param read yields the records in order, and adds the payload to the hash
 * @param countOf counts the records that are not blank lines
 */
export function received(
  label: string,
  {
    kind,
    name,
    block = null,
    time = null,
  }: Pick<SourceReceipt, 'kind' | 'name'> & Partial<SourceReceipt>,
  read: (hash: Hash) => AsyncIterable<Records>,
  countOf = (records: Records) => records.length,
): Fetched {
  const hash = createHash('sha256')
  let count = 0
  let end: { digest: string; fetchedAt: string } | undefined
  async function* batches() {
    let first = 1
    for await (const records of read(hash)) {
      yield { first, records }
      first += records.length
      count += countOf(records)
    }
    end = { digest: hash.digest('hex'), fetchedAt: new Date().toISOString() }
  }
  const receipts = () =>
    end ? [{ kind, name, digest: end.digest, count, block, time, fetchedAt: end.fetchedAt }] : []
  return { label, batches: batches(), receipts }
}
