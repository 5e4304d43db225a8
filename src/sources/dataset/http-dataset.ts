import { pipeline, Readable, type Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GatewayError } from '../../errors.ts'
import { shownUrl } from '../../secrets.ts'
import {
  type Answer,
  type Client,
  type Fetch,
  faultOf,
  refusal,
  sourceFailed,
  urlBelow,
} from '../client.ts'
import { type Dataset, datasetFiles } from './dataset.ts'

export interface HttpDatasetOptions {
  /** The name in messages. Defaults to the URL without secrets. */
  name?: string
  bearer?: string | undefined
  signal?: AbortSignal | undefined
  /** The fetch whose limits hold. Its client makes the requests. */
  fetch?: Fetch | undefined
}

/**
 * Opens the dataset at an http(s) base URL: `<base>/<name>.jsonl`, or else
 * `<base>/<name>.jsonl.gz`. A truncated file is an error of its stream.
 * @throws SOURCE_FAILED, from `open`, if the server fails or does not answer with a file
 */
export function httpDataset(
  client: Client,
  base: string,
  options: HttpDatasetOptions = {},
): Dataset {
  const { name = shownUrl(base), bearer, fetch, signal = fetch?.signal } = options
  const bound = fetch ? client.within(fetch) : client
  return {
    name,
    async open(file) {
      for (const label of [`${file}.jsonl`, `${file}.jsonl.gz`]) {
        const answer = await bound.open(name, urlBelow(base, label), { bearer, signal })
        const reason = noFile(answer)
        if (!reason) return { label, ...opened(answer, label, { fetch, signal }) }
        answer.body.destroy()
        if (answer.status !== 404 && answer.status !== 410)
          throw sourceFailed(name, `${reason} for ${label}`)
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
  const files = httpDataset(client, base, options)
  const { fetch } = options
  const dataset: Dataset = {
    name: files.name,
    async open(file) {
      const opened = await files.open(file)
      if (!opened || !fetch) return opened
      return { ...opened, stream: pipeline(opened.stream, fetch.lineMeter(), () => {}) }
    },
  }
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

function noFile({ status, type, ends }: Answer): string | undefined {
  if (status !== 200) return refusal({ status })
  if (type === 'text/html') return 'it answered HTML'
  return ends
    ? undefined
    : 'it does not say where its answer ends, so truncation would go unnoticed,'
}

function opened(
  { body, size, unzipped }: Answer,
  label: string,
  { fetch, signal }: HttpDatasetOptions,
) {
  const zipped = label.endsWith('.gz') && !unzipped
  const steps = [createGunzip(), ...(fetch ? [fetch.meter('unzipped')] : [])]
  const bytes = zipped ? (pipeline([body, ...steps], () => {}) as Transform) : body
  const stream = Readable.from(clearly(bytes, signal), { objectMode: false })
  stream.once('close', () => body.destroy())
  return { ...(!zipped && size !== undefined && { size }), stream }
}

async function* clearly(bytes: Readable, signal: AbortSignal | undefined) {
  try {
    yield* bytes
  } catch (cause) {
    throw signal?.aborted ? signal.reason : new Error(faultOf(cause), { cause })
  }
}
