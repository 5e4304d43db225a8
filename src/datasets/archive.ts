import { basename, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { packTar, type TarSource, unpackTar } from 'modern-tar/fs'
import { GatewayError } from '../errors.ts'
import { datasetFiles } from '../sources/index.ts'
import { boundBytes } from './bound-bytes.ts'

const NAMES = new Set(datasetFiles.flatMap((file) => [`${file}.jsonl`, `${file}.jsonl.gz`]))

const MAX_NAMED = 20

/** Files of a directory as a tar archive. */
export function packed(dir: string, names: readonly string[], mtime: Date): Readable {
  const attributes = { mtime, mode: 0o644, uid: 0, gid: 0 }
  const sources = names.map(
    (target): TarSource => ({ type: 'file', source: join(dir, target), target, ...attributes }),
  )
  return packTar(sources, { concurrency: 1 })
}

/**
 * Writes the files of the import format in a tar archive to a directory, whatever folder of the
 * archive they are in.
 * @returns the names of the first other files, which are left out
 * @throws BAD_INPUT for a body that is not a whole archive, and the reason of the signal
 */
export async function unpack(
  body: Readable,
  dir: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<string[]> {
  const others: string[] = []
  const taken = new Set<string>()
  const archive = unpackTar(dir, {
    ...{ concurrency: 1, strict: true, fmode: 0o600 },
    filter({ name, type }) {
      const file = basename(name)
      if (type !== 'file' || file.startsWith('.')) return false
      if (!NAMES.has(file)) {
        if (others.length < MAX_NAMED) others.push(file.slice(0, 100))
        return false
      }
      if (taken.has(file)) throw new GatewayError('BAD_INPUT', `The body has ${file} twice.`)
      taken.add(file)
      return true
    },
    map: (header) => ({ ...header, name: basename(header.name) }),
  })
  // The body itself must stay open when the archive fails: its connection has the answer.
  const copy = new PassThrough()
  body.pipe(copy)
  try {
    await pipeline(copy, boundBytes(maxBytes)(), archive, { signal })
    return others
  } catch (error) {
    signal.throwIfAborted()
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof GatewayError || /^E[A-Z]+$/.test(code ?? '')) throw error
    throw new GatewayError('BAD_INPUT', `The body is not a whole tar archive: ${message}`)
  } finally {
    body.unpipe(copy)
    body.resume()
  }
}
