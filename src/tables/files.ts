import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

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

/** Whole tables on the disk, whose parts are read by ranges. */
export class Files {
  readonly #files = new Map<string, Promise<File>>()
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
    const known = await this.#files.get(key)?.catch(() => undefined)
    const isNew = known && Date.now() - known.madeAt < KEPT_MS
    if (known && (isNew || known.version === (await version()))) {
      this.#use(key, Promise.resolve(known))
      return known
    }
    if (known) await this.#remove(key)
    // Another request may have begun it meanwhile.
    const making = this.#files.get(key) ?? this.#make(version, make)
    this.#use(key, making)
    making.catch(() => this.#files.delete(key))
    const file = await making
    await this.#bound()
    return file
  }

  async close(): Promise<void> {
    this.#files.clear()
    const directory = await this.#directory
    if (directory) await rm(directory, { recursive: true, force: true })
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

  #use(key: string, file: Promise<File>): void {
    this.#files.delete(key)
    this.#files.set(key, file)
  }

  async #bound(): Promise<void> {
    for (const key of [...this.#files.keys()]) {
      const files = await Promise.all(
        [...this.#files.values()].map((file) => file.catch(() => undefined)),
      )
      const bytes = files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
      if (files.length <= MAX_FILES && bytes <= MAX_BYTES) return
      if (files.length > 1) await this.#remove(key)
    }
  }

  async #remove(key: string): Promise<void> {
    const file = await this.#files.get(key)?.catch(() => undefined)
    this.#files.delete(key)
    if (file) await rm(file.path, { force: true })
  }
}

/** Answers a HEAD. An empty stream keeps the length that is set, or sets none. */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]))

/** Sends a file, or the one range of it that is asked for. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const { size, tag, path } = file
  reply.header('accept-ranges', 'bytes').header('etag', tag)
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
  if (ifNoneMatch === tag) return reply.code(304).send()
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
