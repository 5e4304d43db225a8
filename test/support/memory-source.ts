import { createHash } from 'node:crypto'
import { GatewayError } from '../../src/errors.ts'
import type { PositionsSource } from '../../src/sources/index.ts'
import { jsonLines } from './one-pool.ts'

export interface MemorySource extends PositionsSource {
  /** What it has now, of all dates. */
  rows: object[]
  /** It breaks off after so many rows. */
  breaksAfter: number
}

/** A source of positions whose content a test changes. */
export function memorySource(): MemorySource {
  const source: MemorySource = {
    name: 'memory',
    rows: [],
    breaksAfter: Number.POSITIVE_INFINITY,
    async positions() {
      const { rows, breaksAfter } = source
      const text = jsonLines(rows)
      async function* batches() {
        for (let first = 1; first <= rows.length; first += 3) {
          if (first > breaksAfter)
            throw new GatewayError('SOURCE_FAILED', 'The source of positions, memory, failed.')
          const records = rows.slice(first - 1, first + 2) as Record<string, unknown>[]
          yield {
            first,
            records: first % 2 ? records : records.map((record) => JSON.stringify(record)),
          }
        }
      }
      return {
        label: 'memory',
        pricesName: 'memory',
        batches: batches(),
        receipts: () => [
          {
            kind: 'POSITIONS',
            name: 'memory',
            digest: createHash('sha256').update(text).digest('hex'),
            count: rows.length,
            block: '123',
            time: '2026-01-01T00:00:00.000Z',
            fetchedAt: new Date().toISOString(),
          },
        ],
      }
    },
  }
  return source
}
