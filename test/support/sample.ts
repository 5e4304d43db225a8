import { Readable } from 'node:stream'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { sampleFiles } from '../../src/sample/sample.ts'
import type { Dataset } from '../../src/sources/dataset/dataset.ts'
import type { Gateway } from './gateway.ts'
import { silent } from './store.ts'

/** Loads a small sample: `users` users and `days` days that end yesterday. */
export async function loadSample(
  { deps: { store, basePoints } }: Gateway,
  { users = 60, days = 12, now = new Date() }: { users?: number; days?: number; now?: Date } = {},
): Promise<void> {
  const files = sampleFiles({ now, users, days })
  const dataset: Dataset = {
    name: 'a small sample',
    open: async (file) => ({ label: `${file}.jsonl`, stream: Readable.from([[...files[file](), ''].join('\n')]) }),
  }
  await importDataset({ pool: store.pool, basePoints, log: silent }, dataset)
  await rebuildRankHistory(store.pool)
}
