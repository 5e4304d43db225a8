import type { Pool } from 'pg'
import { inWrite, type Writer } from '../../db/write.ts'
import { type DatasetFile, datasetFiles } from '../../sources/index.ts'
import { ImportRuns } from '../dataset/import-runs.ts'
import { Staging } from '../dataset/staging.ts'
import { FileStore } from '../dataset/store-file.ts'
import type { BasePoints } from '../points/formula.ts'
import { removeOthers, replacePositions } from './replace.ts'
import { resyncPlan } from './resync.ts'
import { compute, type RunPlan } from './run.ts'
import { RunTables } from './run-tables.ts'

/** A statement that was sent, with the values of its parameters. */
export interface SentStatement {
  text: string
  values: readonly unknown[]
}

interface StatementDeps {
  pool: Pool
  basePoints: BasePoints
  signal?: AbortSignal
}

/** The writes whose statements can be shown: runs, and the import of each file. */
export const writeNames = ['resync', 'manualupdate', ...datasetFiles] as const

export type WriteName = (typeof writeNames)[number]

/**
 * Runs a write and rolls it back. A run is of the newest date, and a manualupdate takes the stored
 * positions for those of a source. A file of an import has no records.
 * @returns all statements that the write sent
 * @throws NOT_FOUND for a run in a store without positions
 */
export async function statementsOf(
  { pool, basePoints, signal }: StatementDeps,
  name: WriteName,
): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const onStatement = (text: string, values: readonly unknown[]) => {
    sent.push({ text, values })
  }
  await inWrite({ pool, signal, onStatement }, async (writer) => {
    if (name === 'resync') await runAgain(writer, resyncPlan({ basePoints }, null))
    else if (name === 'manualupdate') await runAgain(writer, storedAgain(basePoints))
    else await importFile(writer, basePoints, name)
    await writer.query('ROLLBACK AND CHAIN')
  })
  return sent.slice(0, -1)
}

async function runAgain(writer: Writer, plan: RunPlan): Promise<void> {
  const startedAt = new Date()
  const day = await plan.day(writer, startedAt)
  await compute(writer, plan, { id: null, day, startedAt, keepsLedger: true })
}

const storedAgain = (basePoints: BasePoints): RunPlan => ({
  kind: 'manualupdate',
  day: resyncPlan({ basePoints }, null).day,
  async stage(writer, day) {
    const staging = await Staging.open(writer, 'positions')
    await staging.sort(await staging.copyStored(day))
    return []
  },
  store: async (writer, day, run) => ({
    removed: await removeOthers(writer, day, run),
    multiplierRevision: await replacePositions(writer, basePoints, day, run),
  }),
})

async function importFile(
  writer: Writer,
  basePoints: BasePoints,
  file: DatasetFile,
): Promise<void> {
  await writer.lock()
  const runs = await ImportRuns.open(writer)
  const tables = await RunTables.open(writer, true)
  await Staging.open(writer, file)
  const store = new FileStore(writer, file, { basePoints, runs, tables })
  await store.store()
  await store.settle()
}
