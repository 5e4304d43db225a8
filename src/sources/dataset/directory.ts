import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GatewayError } from '../../errors.ts'
import { type Dataset, type DatasetFile, datasetFiles } from './dataset.ts'

const READ_BYTES = 512 * 1024

/**
 * Opens a directory of `<name>.jsonl` and `<name>.jsonl.gz` files. Other files are ignored.
 * @throws BAD_INPUT if the directory does not exist, has none of the files, or has one of them in both forms
 */
export async function openDirectory(dir: string): Promise<Dataset> {
  const entries = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new GatewayError('BAD_INPUT', `${dir} ${reasonOf(error)}.`)
  })
  const names = new Map<DatasetFile, string>()
  for (const file of datasetFiles) {
    const forms = [`${file}.jsonl`, `${file}.jsonl.gz`].filter((name) => entries.includes(name))
    if (forms.length > 1)
      throw new GatewayError('BAD_INPUT', `${dir} has both ${forms.join(' and ')}: keep one of them.`)
    if (forms[0]) names.set(file, forms[0])
  }
  if (names.size === 0) {
    const expected = datasetFiles.map((file) => `${file}.jsonl`).join(', ')
    throw new GatewayError(
      'BAD_INPUT',
      `${dir} holds no file of the import format (${expected}, or the same with .gz).`,
    )
  }
  return {
    name: dir,
    async open(file) {
      const label = names.get(file)
      return label === undefined ? undefined : { label, ...(await openFile(join(dir, label))) }
    },
  }
}

async function openFile(path: string): Promise<{ size?: number; stream: Readable }> {
  const bytes = createReadStream(path, { highWaterMark: READ_BYTES })
  // The stream reports errors to its reader.
  if (path.endsWith('.gz')) return { stream: pipeline(bytes, createGunzip({ chunkSize: READ_BYTES }), () => {}) }
  const { size } = await stat(path).catch(() => ({ size: undefined }))
  return { size, stream: bytes }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'does not exist'
  if (code === 'ENOTDIR') return 'is not a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'must not be read by this user'
  return `cannot be read: ${message}`
}
