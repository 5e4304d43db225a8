import { importDataset } from '../../src/domain/dataset/import.ts'
import { openDirectory } from '../../src/sources/dataset/directory.ts'
import type { Gateway } from './gateway.ts'
import { silent } from './store.ts'

/** Loads a directory in the import format, as `gateway import` does. */
export async function importDirectory({ deps }: Gateway, dir: string): Promise<void> {
  await importDataset({ pool: deps.store.pool, basePoints: deps.basePoints, log: silent }, await openDirectory(dir))
}
