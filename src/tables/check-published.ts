import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { inTransaction } from '../db/connect/transaction.ts'
import type { Deps } from '../deps.ts'
import { GatewayError } from '../errors.ts'
import { isRemote } from '../sources/index.ts'
import { Tables } from './publish.ts'
import { INDEX, type PublishedFile, readIndex } from './published-index.ts'

type CheckDeps = Deps & { signal?: AbortSignal }

/** How published files compare with their index and with this gateway. */
export interface Checked {
  files: number
  bytes: number
  dates: number
  /** The number of dates that this gateway has too. */
  known: number
  /** A sentence for each file or date that differs. */
  faults: string[]
}

const MAX_INDEX_BYTES = 64 * 1024 ** 2
const LAST_DAY = '9999-12-31'

/**
 * Reads all files of an index, from a directory or an address, and compares their digests with it,
 * and the digests of its dates with those of this gateway.
 * @throws BAD_INPUT without an index, SOURCE_FAILED if an address does not answer
 */
export async function readPublished(deps: CheckDeps, from: string): Promise<Checked> {
  const { store, signal } = deps
  const dates = readIndex(await readText(deps, from), `${INDEX} of ${from}`)
  const stored = await inTransaction({ pool: store.pool, signal }, (client) =>
    new Tables(deps, client).dates(LAST_DAY),
  )
  const digests = new Map(stored.map(({ date, digest }) => [date, digest]))
  const result: Checked = { files: 0, bytes: 0, dates: dates.length, known: 0, faults: [] }
  for (const { date, digest, files } of dates) {
    const own = digests.get(date)
    if (own) result.known++
    if (own && own !== digest)
      result.faults.push(`${date} has other points here: their digest is ${own}, not ${digest}.`)
    for (const file of files) {
      signal?.throwIfAborted()
      const fault = await faultOf(deps, from, file)
      if (fault) result.faults.push(`${file.name} ${fault}.`)
      result.files++
      result.bytes += file.bytes
    }
  }
  return result
}

async function faultOf(
  deps: CheckDeps,
  from: string,
  { name, bytes, sha256 }: PublishedFile,
): Promise<string | undefined> {
  const body = await openFile(deps, from, name)
  if (!body) return 'is missing'
  const hash = createHash('sha256')
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    // The rest of a file that is too long is not read.
    if (read > bytes) return `has more than its ${bytes} bytes`
    hash.update(chunk)
  }
  if (read < bytes) return `has ${read} bytes, not ${bytes}`
  return hash.digest('hex') === sha256 ? undefined : 'has another digest than its index says'
}

async function readText(deps: CheckDeps, from: string): Promise<string> {
  const body = await openFile(deps, from, INDEX)
  if (!body) throw new GatewayError('BAD_INPUT', `${from} has no ${INDEX} of gateway publish.`)
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > MAX_INDEX_BYTES)
      throw new GatewayError('BAD_INPUT', `${INDEX} of ${from} is larger than 64 MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A file of a directory or an address. Undefined if there is none. */
async function openFile(
  { client, signal }: CheckDeps,
  from: string,
  name: string,
): Promise<Readable | undefined> {
  if (!isRemote(from)) return openPath(join(from, name))
  const url = new URL(from)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`
  const { status, body } = await client.open('published files', url.href, { signal })
  if (status === 200) return body
  body.destroy()
  if (status === 404 || status === 403) return undefined
  throw new GatewayError('SOURCE_FAILED', `${url.href} answers ${status}.`)
}

async function openPath(path: string): Promise<Readable | undefined> {
  const stream = createReadStream(path)
  const opened = new Promise((resolve, reject) => {
    stream.once('open', resolve)
    stream.once('error', reject)
  })
  try {
    await opened
    return stream
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new GatewayError('BAD_INPUT', `${path} cannot be read: ${message}.`)
  }
}
