import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type HttpAnswer, tagOf } from './cache/answer.ts'
import type { EdgeCache } from './cache/edge-cache.ts'
import { sendAnswer } from './cache/send-answer.ts'

export interface StaticFiles {
  url: string
  directory: string
  /**
   * Files whose paths in the directory begin with this are named by their contents. The empty
   * string means all.
   */
  hashed: string
  /**
   * The page of every path that is not below `hashed`, or of each path without a file extension.
   * Without one only files are found.
   */
  page?: string | ((path: string) => string)
  notFoundPage?: string
  /** Completes the text of the pages, whose compressed files are not served then. */
  complete?(html: string): string
  /** Makes a text for a client: pages, and texts that are not named by their contents. */
  forClient?(file: HttpAnswer, request: FastifyRequest, reply: FastifyReply): Promise<HttpAnswer>
  /** Headers of every file, besides those of caching: names and values by turns. */
  headers?: string[]
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * Serves files of the build, with their .br and .gz. Those that are named by their contents are
 * cached for good, others are revalidated. Each is read once: they are few and small.
 */
export function mountStaticFiles(
  app: FastifyInstance,
  edge: EdgeCache,
  { url, directory, hashed, page, notFoundPage, complete, forClient, headers = [] }: StaticFiles,
): void {
  let listed: Promise<Map<string, Promise<HttpAnswer> | undefined>> | undefined
  const fileAt = (path: string) => {
    if (typeof page === 'function') return /\.\w+$/.test(path) ? path : page(path)
    return page === undefined || path.startsWith(hashed) ? path : page
  }
  const answerAt = async (name: string) => {
    listed ??= list(directory)
    const files = await listed
    if (!files.has(name)) return undefined
    const file =
      files.get(name) ?? read(directory, name, url, name.endsWith('.html') ? complete : undefined)
    files.set(name, file)
    return file.catch((error) => {
      files.set(name, undefined)
      throw error
    })
  }
  const send = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const name = fileAt(path)
    const file = await answerAt(name)
    const isForBrowser = request.headers.accept?.includes('text/html')
    const found = file ?? (isForBrowser && notFoundPage ? await answerAt(notFoundPage) : undefined)
    if (!found) return reply.callNotFound()
    const isForClient = forClient && !(file && name.startsWith(hashed))
    const answer = isForClient ? await forClient(found, request, reply) : found
    return sendAnswer(
      request,
      reply.hijack().raw,
      file ? answer : { ...answer, status: 404 },
      edge,
      {
        type: found.type,
        cacheControl: file && name.startsWith(hashed) ? FOREVER : undefined,
        headers: [...headers, 'x-content-type-options', 'nosniff'],
      },
    )
  }
  app.get<{ Params: { '*': string } }>(`${url}/*`, (request, reply) =>
    send(request.params['*'], request, reply),
  )
  if (page !== undefined) app.get(url, (request, reply) => send('', request, reply))
}

async function list(directory: string): Promise<Map<string, undefined>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) =>
    relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'),
  )
  return new Map(paths.filter((path) => extname(path) in TYPES).map((path) => [path, undefined]))
}

async function read(
  directory: string,
  name: string,
  url: string,
  complete: StaticFiles['complete'],
): Promise<HttpAnswer> {
  const path = join(directory, name)
  const type = TYPES[extname(name)] ?? ''
  const isCompressed = type === 'image/png' || type === 'font/woff2'
  const [file, br, gzip] = await Promise.all([
    readFile(path),
    ...['.br', '.gz'].map((suffix) =>
      isCompressed || complete ? undefined : readFile(path + suffix).catch(() => undefined),
    ),
  ])
  const body = complete ? Buffer.from(complete(file.toString())) : file
  return {
    name: url,
    // Files without a key are not compressed.
    key: isCompressed ? undefined : `${url}/${name}`,
    status: 200,
    type,
    body,
    etag: tagOf(body),
    compressed: { ...(br && { br }), ...(gzip && { gzip }) },
  }
}
