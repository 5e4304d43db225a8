import { createHash } from 'node:crypto'
import { GatewayError } from '../../errors.ts'
import { faultOf, isReadFault, sourceFailed } from '../client.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { readLines } from '../dataset/lines.ts'
import { type PositionBatch, type PositionsSource, positionsName } from './positions-source.ts'

/**
 * The positions file of a dataset in the import format, with prices, as a source of positions. It may have other dates too,
 * which the reader skips.
 * @param open opens the dataset for each run
 */
export function datasetPositions(name: string, open: (signal?: AbortSignal) => Promise<Dataset>): PositionsSource {
  const called = positionsName(name)

  async function openFile(signal: AbortSignal | undefined) {
    try {
      const dataset = await open(signal)
      return await dataset.open('positions')
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof GatewayError)
        throw error.code === 'SOURCE_FAILED' ? error : sourceFailed(called, error.message.replace(/\.$/, ''))
      throw isReadFault(error) ? sourceFailed(called, faultOf(error)) : error
    }
  }

  return {
    name,
    async positions(_, { signal }) {
      const file = await openFile(signal)
      if (!file) throw sourceFailed(called, 'it has no positions file (positions.jsonl or positions.jsonl.gz)')
      const { label, stream } = file
      // It may fail before it is read, and reading reports that too.
      stream.on('error', () => {})
      const hash = createHash('sha256')
      let count = 0
      let fetched: { digest: string; at: Date } | undefined

      async function* batches(): AsyncGenerator<PositionBatch> {
        try {
          for await (const { first, lines } of readLines(stream, (bytes) => hash.update(bytes))) {
            signal?.throwIfAborted()
            for (const line of lines) if (typeof line !== 'string' || line.trim() !== '') count++
            yield { first, records: lines }
          }
          fetched = { digest: hash.digest('hex'), at: new Date() }
        } catch (error) {
          if (signal?.aborted) throw signal.reason
          if (!isReadFault(error)) throw error
          throw sourceFailed(called, `${label}: ${faultOf(error)}`)
        } finally {
          stream.destroy()
        }
      }

      return {
        label,
        pricesName: name,
        batches: batches(),
        receipts: () =>
          fetched
            ? [
                {
                  kind: 'POSITIONS',
                  name,
                  digest: fetched.digest,
                  count,
                  block: null,
                  time: null,
                  fetchedAt: fetched.at.toISOString(),
                },
              ]
            : [],
      }
    },
  }
}
