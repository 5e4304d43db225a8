import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GatewayError } from '../../errors.ts'
import { type Answer, type Client, faultOf, refusal, shownUrl, sourceFailed, urlBelow } from '../client.ts'
import { type Dataset, datasetFiles } from './dataset.ts'

export interface HttpDatasetOptions {
  /** The name in messages. Defaults to the URL without secrets. */
  name?: string
  bearer?: string | undefined
  signal?: AbortSignal | undefined
  /** Refuses files after a redirect to another host. */
  sameHost?: boolean
}

/**
 * Opens the dataset at an http(s) base URL: `<base>/<name>.jsonl`, or else `<base>/<name>.jsonl.gz`. A truncated file is an
 * error of its stream.
 * @throws SOURCE_FAILED, from `open`, if the server fails or does not answer with a file
 */
export function httpDataset(client: Client, base: string, options: HttpDatasetOptions = {}): Dataset {
  const { name = shownUrl(base), bearer, signal, sameHost = false } = options
  return {
    name,
    async open(file) {
      for (const label of [`${file}.jsonl`, `${file}.jsonl.gz`]) {
        const answer = await client.open(name, urlBelow(base, label), { bearer, signal, sameHost })
        const reason = noFile(answer)
        if (!reason) return { label, ...opened(answer, label, signal) }
        answer.body.destroy()
        if (answer.status !== 404 && answer.status !== 410) throw sourceFailed(name, `${reason} for ${label}`)
      }
      return undefined
    },
  }
}

/**
 * Opens the dataset at a base URL for an import.
 * @throws BAD_INPUT if the URL has none of the files
 */
export async function openHttpDataset(
  client: Client,
  base: string,
  options: HttpDatasetOptions = {},
): Promise<Dataset> {
  const dataset = httpDataset(client, base, options)
  for (const file of datasetFiles) {
    const opened = await dataset.open(file)
    opened?.stream.destroy()
    if (opened) return dataset
  }
  const expected = datasetFiles.map((file) => `${file}.jsonl`).join(', ')
  throw new GatewayError(
    'BAD_INPUT',
    `${dataset.name} has no file of the import format (${expected}, or the same with .gz).`,
  )
}

/** Says why an answer is not a file, as a clause. */
function noFile({ status, type, ends }: Answer): string | undefined {
  if (status !== 200) return refusal({ status })
  if (type === 'text/html') return 'it answered HTML'
  return ends ? undefined : 'it does not say where its answer ends, so truncation would go unnoticed,'
}

function opened({ body, size, unzipped }: Answer, label: string, signal?: AbortSignal) {
  const zipped = label.endsWith('.gz') && !unzipped
  const bytes = zipped ? pipeline(body, createGunzip(), () => {}) : body
  const stream = Readable.from(clearly(bytes, signal), { objectMode: false })
  stream.once('close', () => body.destroy())
  return { ...(!zipped && size !== undefined && { size }), stream }
}

/** Converts transfer errors to sentences. */
async function* clearly(bytes: Readable, signal: AbortSignal | undefined) {
  try {
    yield* bytes
  } catch (cause) {
    throw signal?.aborted ? signal.reason : new Error(faultOf(cause), { cause })
  }
}
