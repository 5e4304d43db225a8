import { sourceFailed } from '../client.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { datasetRecords } from '../dataset/dataset-records.ts'
import { type PositionsSource, positionsName } from './positions-source.ts'

/**
 * The positions file of a dataset in the import format, with prices, as a source of positions. It
 * may have other dates too, which the reader skips.
 * @param open opens the dataset for each run
 */
export function datasetPositions(
  name: string,
  open: (signal?: AbortSignal) => Promise<Dataset>,
): PositionsSource {
  const called = positionsName(name)
  return {
    name,
    async positions(_, { signal }) {
      const fetched = await datasetRecords({
        called,
        name,
        file: 'positions',
        kind: 'POSITIONS',
        open,
        signal,
      })
      if (!fetched)
        throw sourceFailed(
          called,
          'it has no positions file (positions.jsonl or positions.jsonl.gz)',
        )
      return { ...fetched, pricesName: name }
    },
  }
}
