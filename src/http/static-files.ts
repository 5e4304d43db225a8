import { relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'

interface StaticFiles {
  /** The path that they are served below, without a slash at its end. */
  url: string
  /** The directory that the build made. */
  directory: string
  /** Files whose paths in the directory begin with this are named by their contents. The empty string means all. */
  hashed: string
  /**
   * The page of every path that is not below `hashed`, or of each path without a file extension. Without one only files are
   * found.
   */
  page?: string | ((path: string) => string)
  /** Headers of every file, besides those of caching. */
  headers?: Record<string, string>
}

/**
 * Serves files that the build made, compressed where there is a .br or .gz beside them. Those that are named by their contents
 * are cached for good, others are revalidated.
 */
export async function mountStaticFiles(
  app: FastifyInstance,
  { url, directory, hashed, page, headers = {} }: StaticFiles,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: directory,
      serve: false,
      preCompressed: true,
      acceptRanges: false,
      allowedPath: (path) => !/\.(br|gz)$/.test(path),
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = relative(directory, path).startsWith(hashed)
        const cacheControl = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache'
        reply.headers({ ...headers, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' })
      },
    })
    // What cannot be the path of a file is not found either.
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      if ((error.statusCode ?? 500) >= 500) throw error
      reply.callNotFound()
    })
    const fileAt = (path: string) => {
      if (typeof page === 'function') return /\.\w+$/.test(path) ? path : page(path)
      return page === undefined || path.startsWith(hashed) ? path : page
    }
    scope.get<{ Params: { '*': string } }>(`${url}/*`, ({ params: { '*': path } }, reply) =>
      reply.sendFile(fileAt(path)),
    )
    if (page !== undefined) scope.get(url, (_request, reply) => reply.sendFile(fileAt('')))
  })
}
