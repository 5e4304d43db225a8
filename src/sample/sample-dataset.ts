import { Readable } from 'node:stream'
import type { Dataset } from '../sources/index.ts'
import { sampleFiles } from './sample.ts'

const BATCH = 1000

/**
 * The sample as a dataset, equal on every call of one UTC day. Records are generated as they are
 * read.
 */
export function sampleDataset(now: Date, size: { users?: number; days?: number } = {}): Dataset {
  const files = sampleFiles({ now, ...size })
  return {
    name: 'the sample data',
    async open(file) {
      return { label: `${file}.jsonl`, stream: Readable.from(batches(files[file]())) }
    },
  }
}

/** Joins lines in chunks of a thousand, as a chunk of a stream costs more than a line. */
function* batches(lines: Iterable<string>): Generator<Buffer> {
  let batch: string[] = []
  for (const line of lines) {
    batch.push(line)
    if (batch.length === BATCH) {
      yield Buffer.from(`${batch.join('\n')}\n`)
      batch = []
    }
  }
  if (batch.length > 0) yield Buffer.from(`${batch.join('\n')}\n`)
}
