import type { Hash } from 'node:crypto'
import { GatewayError } from '../../errors.ts'
import { faultOf, isReadFault, sourceFailed } from '../client.ts'
import { type Fetched, received, type SourceReceipt } from '../fetched.ts'
import type { Dataset, DatasetFile } from './dataset.ts'
import { readLines } from './lines.ts'

export interface DatasetRecords {
  /** The subject of messages. */
  called: string
  name: string
  file: DatasetFile
  kind: SourceReceipt['kind']
  open(signal?: AbortSignal): Promise<Dataset>
  signal?: AbortSignal | undefined
}

/**
 * Fetches all records of a file of a dataset in the import format. Undefined if the dataset has no
 * such file.
 * @throws SOURCE_FAILED if the dataset cannot be opened. Reading the batches may throw it too
 */
export async function datasetRecords(options: DatasetRecords): Promise<Fetched | undefined> {
  const { called, name, kind, signal } = options
  const file = await openFile(options)
  if (!file) return undefined
  const { label, stream } = file
  // It may fail before it is read, and reading reports that too.
  stream.on('error', () => {})
  async function* read(hash: Hash) {
    try {
      for await (const { lines } of readLines(stream, (bytes) => hash.update(bytes))) {
        signal?.throwIfAborted()
        yield lines
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!isReadFault(error)) throw error
      throw sourceFailed(called, `${label}: ${faultOf(error)}`)
    } finally {
      stream.destroy()
    }
  }
  const isRecord = (line: unknown) => typeof line !== 'string' || line.trim() !== ''
  return received(label, { kind, name }, read, (lines) => lines.filter(isRecord).length)
}

async function openFile({ called, file, open, signal }: DatasetRecords) {
  try {
    const dataset = await open(signal)
    return await dataset.open(file)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof GatewayError)
      throw error.code === 'SOURCE_FAILED'
        ? error
        : sourceFailed(called, error.message.replace(/\.$/, ''))
    throw isReadFault(error) ? sourceFailed(called, faultOf(error)) : error
  }
}
