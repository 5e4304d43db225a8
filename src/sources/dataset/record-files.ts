import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatasetFile, datasetFiles } from './dataset.ts'

/** Writes the files of a dataset. Only records that wait to be written are in memory. */
export interface RecordFiles {
  /** Appends records to a file. Resolves when they are written. */
  write(file: DatasetFile, records: object[]): Promise<void>
  /** The number of records of each file so far. Files without records do not exist. */
  counts: Partial<Record<DatasetFile, number>>
  close(): Promise<void>
}

/** Starts a dataset in an existing directory, replacing any dataset in it. */
export async function createRecordFiles(dir: string): Promise<RecordFiles> {
  const paths = new Map(datasetFiles.map((file) => [file, join(dir, `${file}.jsonl`)]))
  for (const path of paths.values()) await rm(path, { force: true })
  const handles = new Map<DatasetFile, Promise<FileHandle>>()
  const written = new Map<DatasetFile, Promise<void>>()
  const counts: RecordFiles['counts'] = {}
  let closed = false

  async function append(file: DatasetFile, text: string): Promise<void> {
    if (closed) throw new Error(`${file} is closed`)
    let handle = handles.get(file)
    if (!handle) {
      handle = open(paths.get(file) as string, 'w')
      handles.set(file, handle)
    }
    await (await handle).appendFile(text)
  }

  return {
    counts,
    write(file, records) {
      if (records.length === 0) return Promise.resolve()
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      counts[file] = (counts[file] ?? 0) + records.length
      const done = (written.get(file) ?? Promise.resolve()).then(() => append(file, text))
      done.catch(() => {})
      written.set(file, done)
      return done
    },
    async close() {
      closed = true
      await Promise.allSettled(written.values())
      const opened = await Promise.allSettled(handles.values())
      for (const result of opened) if (result.status === 'fulfilled') await result.value.close()
    },
  }
}
