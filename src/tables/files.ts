import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.ts'
import { isFresh } from '../http/cache/answer.ts'

interface File {
  path: string
  size: number
  tag: string
  version: string
  madeAt: number
}

// A file answers the requests for its parts at least this long, so that they are of one snapshot.
const KEPT_MS = 60_000
const MAX_FILES = 16
const MAX_BYTES = 1024 ** 3

/** A file, or one that is being made. */
interface Entry {
  made: Promise<File>
  /** Undefined while it is made. */
  file: File | undefined
}

/** Whole tables on the disk, whose parts are read by ranges. */
export class Files {
  readonly #files = new Map<string, Entry>()
  #directory: Promise<string> | undefined
  #made = 0

  /**
   * The file of a key: a new one if the data have changed since it was made, but for a while.
   * @param version the version of the data
   */
  async of(
    key: string,
    version: () => Promise<string>,
    make: (path: string) => Promise<void>,
  ): Promise<File> {
    const known = this.#files.get(key)
    if (!known) return this.#begin(key, version, make)
    const file = await known.made.catch(unlessRefused)
    const isNew = file && Date.now() - file.madeAt < KEPT_MS
    if (file && (isNew || file.version === (await version()))) {
      this.#use(key, known)
      return file
    }
    if (file) await this.#remove(key, known)
    // Another request may have begun it meanwhile.
    return this.of(key, version, make)
  }

  async close(): Promise<void> {
    this.#files.clear()
    const directory = await this.#directory
    if (directory) await rm(directory, { recursive: true, force: true })
  }

  async #begin(
    key: string,
    version: () => Promise<string>,
    make: (path: string) => Promise<void>,
  ): Promise<File> {
    const entry: Entry = { made: this.#make(version, make), file: undefined }
    this.#files.set(key, entry)
    try {
      const file = await entry.made
      entry.file = file
      this.#use(key, entry)
      await this.#bound()
      return file
    } catch (error) {
      await this.#remove(key, entry)
      throw error
    }
  }

  async #make(
    version: () => Promise<string>,
    make: (path: string) => Promise<void>,
  ): Promise<File> {
    this.#directory ??= mkdtemp(join(tmpdir(), 'gateway-tables-'))
    const number = ++this.#made
    const path = join(await this.#directory, `${number}.parquet`)
    const before = await version()
    try {
      await make(path)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    const { size } = await stat(path)
    return { path, size, tag: `"${before}-${number}-${size}"`, version: before, madeAt: Date.now() }
  }

  #use(key: string, entry: Entry): void {
    this.#files.delete(key)
    this.#files.set(key, entry)
  }

  // Counts those that are made: nobody waits for the file of another.
  async #bound(): Promise<void> {
    const made = [...this.#files].filter(([, { file }]) => file)
    let count = made.length
    let bytes = made.reduce((sum, [, { file }]) => sum + (file?.size ?? 0), 0)
    for (const [key, entry] of made) {
      if (count === 1 || (count <= MAX_FILES && bytes <= MAX_BYTES)) return
      count--
      bytes -= entry.file?.size ?? 0
      await this.#remove(key, entry)
    }
  }

  async #remove(key: string, entry: Entry): Promise<void> {
    if (this.#files.get(key) === entry) this.#files.delete(key)
    if (entry.file) await rm(entry.file.path, { force: true })
  }
}

// Who makes a file pays for it. One who waits for it may have points where that client has none.
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof GatewayError && error.code === 'RATE_LIMITED')) throw error
}

/** Answers a HEAD. An empty stream keeps the length that is set, or sets none. */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]))

/** Sends a file, or the one range of it that is asked for. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const { size, tag, path } = file
  reply.header('accept-ranges', 'bytes').header('etag', tag)
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
  if (isFresh(ifNoneMatch, tag)) return reply.code(304).send()
  const asked = range !== undefined && (ifRange ?? tag) === tag ? readRange(range, size) : undefined
  if (asked === 'outside') return reply.code(416).header('content-range', `bytes */${size}`).send()
  const { start, end } = asked ?? { start: 0, end: size - 1 }
  if (asked) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  reply.header('content-length', end - start + 1)
  if (request.method === 'HEAD') return sendHead(reply)
  return reply.send(createReadStream(path, { start, end }))
}

// Several ranges at once are answered by the whole file.
function readRange(range: string, size: number) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start <= end ? { start, end } : 'outside'
}
