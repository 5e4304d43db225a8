import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { sampleFiles } from '../../src/sample/index.ts'
import type { Dataset } from '../../src/sources/index.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
import { filledTemplate, silent } from './store.ts'

interface Size {
  users?: number
  days?: number
}

/**
 * A gateway on a small sample, which ends the day before its clock's. Each size is made once in a
 * run, and copied.
 */
export async function startOnSample({
  users = 40,
  days = 12,
  ...options
}: Size & Omit<GatewayOptions, 'on' | 'template'> = {}): Promise<Gateway> {
  const now = options.now?.() ?? new Date()
  const name = `template_sample_${users}_${days}_${now.toISOString().slice(0, 10).replaceAll('-', '')}`
  const template = await filledTemplate(name, (pool) => fillSample(pool, { now, users, days }))
  return startGateway({ ...options, template })
}

/** Loads a small sample into the store of a gateway that runs. */
export const loadSample = (
  { deps }: Gateway,
  { users = 40, days = 12, now = new Date() }: Size & { now?: Date } = {},
) => fillSample(deps.store.pool, { now, users, days })

/** Imports a sample into a store. */
export async function fillSample(
  pool: Pool,
  size: Parameters<typeof sampleFiles>[0],
): Promise<void> {
  const files = sampleFiles(size)
  const dataset: Dataset = {
    name: 'a small sample',
    open: async (file) => ({
      label: `${file}.jsonl`,
      stream: Readable.from([[...files[file](), ''].join('\n')]),
    }),
  }
  await importDataset({ pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }, dataset)
  await rebuildRankHistory(pool)
}
