import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GatewayError } from '../../errors.ts'
import { nearest } from '../../nearest.ts'
import { type Dataset, type DatasetFile, datasetFiles } from './dataset.ts'

const READ_BYTES = 512 * 1024

/**
 * Opens a directory of `<name>.jsonl` and `<name>.jsonl.gz` files. Other files are ignored.
 * @param onIgnored called with a sentence for each other file, but for hidden ones and READMEs
 * @throws BAD_INPUT if the directory does not exist, has none of the files, has one of them in both
 * forms, or only as CSV
 */
export async function openDirectory(
  dir: string,
  onIgnored?: (message: string) => void,
): Promise<Dataset> {
  const listed = await readdir(dir, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new GatewayError('BAD_INPUT', `${dir} ${reasonOf(error)}.`)
    },
  )
  const entries = listed.map(({ name }) => name)
  const names = new Map<DatasetFile, string>()
  for (const file of datasetFiles) {
    const forms = [`${file}.jsonl`, `${file}.jsonl.gz`].filter((name) => entries.includes(name))
    if (forms.length > 1)
      throw new GatewayError(
        'BAD_INPUT',
        `${dir} has both ${forms.join(' and ')}: keep one of them.`,
      )
    if (forms[0]) names.set(file, forms[0])
  }
  const table = datasetFiles.find((file) => !names.has(file) && entries.includes(`${file}.csv`))
  if (table)
    throw new GatewayError(
      'BAD_INPUT',
      `${dir} has ${table}.csv, but CSV cannot be imported. The format is JSON Lines: ` +
        `${table}.jsonl, with one JSON object a line. \`gateway template DIR\` writes an example.`,
    )
  if (names.size === 0) {
    const expected = datasetFiles.map((file) => `${file}.jsonl`).join(', ')
    throw new GatewayError(
      'BAD_INPUT',
      `${dir} holds no file of the import format (${expected}, or the same with .gz).`,
    )
  }
  for (const entry of listed)
    if (onIgnored && !entry.isDirectory() && !isKnown(entry.name))
      onIgnored(ignored(dir, entry.name))
  return {
    name: dir,
    async open(file) {
      const label = names.get(file)
      return label === undefined ? undefined : { label, ...(await openFile(join(dir, label))) }
    },
  }
}

/**
 * Opens a directory, or one file of it.
 * @throws BAD_INPUT as `openDirectory` does, and for a file with another name
 */
export async function openPath(path: string): Promise<Dataset> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )
  if (!isFile) return openDirectory(path)
  const label = basename(path)
  const file = datasetFiles.find(
    (file) => label === `${file}.jsonl` || label === `${file}.jsonl.gz`,
  )
  if (!file)
    throw new GatewayError(
      'BAD_INPUT',
      `${path} is not a file of the import format, such as positions.jsonl.`,
    )
  return {
    name: path,
    open: async (wanted) => (wanted === file ? { label, ...(await openFile(path)) } : undefined),
  }
}

const FILES = datasetFiles.flatMap((file) => [`${file}.jsonl`, `${file}.jsonl.gz`])

const isKnown = (name: string) => FILES.includes(name) || /^(\.|readme)/i.test(name)

function ignored(dir: string, name: string): string {
  const sentence = `${join(dir, name)} is not a file of the import format and is ignored.`
  const meant = nearest(name, FILES)
  return meant ? `${sentence} (Did you mean ${meant}?)` : sentence
}

async function openFile(path: string): Promise<{ size?: number; stream: Readable }> {
  const bytes = createReadStream(path, { highWaterMark: READ_BYTES })
  // The stream reports errors to its reader.
  if (path.endsWith('.gz'))
    return { stream: pipeline(bytes, createGunzip({ chunkSize: READ_BYTES }), () => {}) }
  const { size } = await stat(path).catch(() => ({ size: undefined }))
  return { size, stream: bytes }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'does not exist'
  if (code === 'ENOTDIR') return 'is not a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'must not be read by this user'
  return `cannot be read: ${message}`
}
