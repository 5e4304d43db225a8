import { createHash, type Hash } from 'node:crypto'
import type { Fetched } from '../fetched.ts'

/**
 * Counts the records that arrive from a source, for the receipt.
 * @param request the source's name and the date of the oldest requested records
 * @param read yields the records in order, and adds the payload to the hash
 */
export function received(
  label: string,
  { name, since }: { name: string; since: Date | null },
  read: (hash: Hash) => AsyncIterable<Record<string, unknown>[]>,
): Fetched {
  const hash = createHash('sha256')
  const time = since?.toISOString() ?? null
  let count = 0
  let fetchedAt: string | undefined
  async function* batches() {
    for await (const records of read(hash)) {
      yield { first: count + 1, records }
      count += records.length
    }
    fetchedAt = new Date().toISOString()
  }
  return {
    label,
    batches: batches(),
    receipts: () =>
      fetchedAt === undefined
        ? []
        : [{ kind: 'ANALYTICS', name, digest: hash.digest('hex'), count, block: null, time, fetchedAt }],
  }
}
