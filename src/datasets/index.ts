import { pipeline } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { freeBytes } from '../db/server/free-bytes.ts'
import type { Deps } from '../deps.ts'
import { exportStore } from '../domain/dataset/export.ts'
import { checkDataset, importDataset } from '../domain/dataset/import.ts'
import { exportedFiles } from '../domain/dataset/records.ts'
import { GatewayError, type InputProblem } from '../errors.ts'
import { requireAdmin, type Scope } from '../graphql/context.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { sendProblem } from '../http/server/problem.ts'
import { type Dataset, openDirectory } from '../sources/index.ts'
import { isoDay } from '../time.ts'
import { boundBytes, TooLarge } from './bound-bytes.ts'
import { oneAtATime } from './exclusive.ts'

const TAR = 'application/x-tar'

const isTrue = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((text) => text === 'true')
const day = z.iso.date('must look like 2026-01-31').optional()

const ExportQuery = z.strictObject({
  table: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(exportedFiles, `must be of ${exportedFiles.join(', ')}`)))
    .optional(),
  from: day,
  to: day,
})

const ImportQuery = z.strictObject({ check: isTrue, daily: isTrue, reopen: isTrue })

/**
 * Serves the store as an archive in the import format, and imports such an archive, to admins and to
 * keys with the scope. Each of both is one request at a time.
 */
export function mountDatasets(app: FastifyInstance, deps: Deps, edge: Edge): void {
  const { config, store } = deps
  const exporting = oneAtATime('export')
  const importing = oneAtATime('import')
  const closing = new AbortController()
  app.addHook('preClose', async () =>
    closing.abort(new GatewayError('UNAVAILABLE', 'The server is closing. Try again in a moment.')),
  )

  const allow = (request: FastifyRequest, reply: FastifyReply, scope: Scope): string => {
    const exchange = exchangeOf(request.raw)
    reply.header('cache-control', 'no-store')
    exchange.admin = requireAdmin(edge.keys.adminOf(request.headers, exchange.key), scope)
    return exchange.admin
  }
  /** Aborted when the client leaves, and when the server closes. */
  const endOf = ({ raw }: FastifyReply): AbortSignal => {
    const left = new AbortController()
    const error = new GatewayError('BAD_INPUT', 'The client left before the end.')
    if (raw.destroyed) left.abort(error)
    raw.once('close', () => left.abort(error))
    return AbortSignal.any([left.signal, closing.signal])
  }

  app.get('/export', {
    exposeHeadRoute: false,
    onRequest: async (request, reply) => void allow(request, reply, 'export'),
    handler: async (request, reply) => {
      const { table: files, from, to } = readQuery(ExportQuery, request)
      return exporting(async (dir) => {
        const signal = endOf(reply)
        exchangeOf(request.raw).onQueued()
        await assertRoom(deps, dir)
        const now = deps.now()
        const options = { ...(files && { files }), from, to, signal }
        const { files: written } = await exportStore(store.pool, dir, options)
        const name = `export-${isoDay(now)}.tar`
        reply.type(TAR).header('content-disposition', `attachment; filename="${name}"`)
        const { packed } = await import('./archive.ts')
        const sent = new Promise((resolve) => {
          reply.raw.once('finish', resolve).once('close', resolve)
        })
        reply.send(packed(dir, Object.keys(written), now))
        await sent
        return reply
      })
    },
  })

  // The body is read before later hooks, which keep bodies in memory.
  app.post('/import', {
    onRequest: async (request, reply) => {
      const requestedBy = allow(request, reply, 'import')
      const fault = mediaFault(request)
      if (fault) return sendProblem(reply.header('accept-post', TAR), 415, fault)
      const query = readQuery(ImportQuery, request)
      try {
        return reply.send(await take(request, reply, { requestedBy, ...query }))
      } catch (error) {
        if (error instanceof TooLarge) return sendProblem(reply, 413, error.message)
        if (reply.raw.destroyed) return reply.hijack()
        throw error
      }
    },
    handler: async () => {},
  })

  const take = (
    request: FastifyRequest,
    reply: FastifyReply,
    { check, ...options }: z.infer<typeof ImportQuery> & { requestedBy: string },
  ) =>
    importing(async (dir) => {
      const signal = endOf(reply)
      const maxBytes = config.IMPORT_MAX_BYTES
      if (Number(request.headers['content-length']) > maxBytes) throw new TooLarge(maxBytes)
      const { unpack } = await import('./archive.ts')
      const others = await unpack(request.raw, dir, { maxBytes, signal })
      const dataset = await opened(dir, maxBytes)
      const transfer = check ? checkDataset : importDataset
      const summary = await transfer({ ...deps, pool: store.pool }, dataset, {
        ...options,
        signal,
      }).catch((error) => {
        throw withLines(error)
      })
      edge.cache.clear()
      await store.replicas?.changed()
      const ignored = others.map((name) => `${name} is not a file of the import format.`)
      return { ...summary, check, warnings: [...ignored, ...summary.warnings] }
    })
}

function mediaFault({ headers }: FastifyRequest): string | undefined {
  const { 'content-type': type = 'none', 'content-encoding': encoding = 'identity' } = headers
  if (type.split(';')[0]?.trim().toLowerCase() !== TAR)
    return `The body must be a tar archive: send it as content-type: ${TAR}.`
  if (encoding !== 'identity')
    return 'The archive must not be compressed: compress its files, as positions.jsonl.gz.'
  return undefined
}

/** The files of a directory, called the body in messages, of so many bytes once decompressed. */
async function opened(dir: string, maxBytes: number): Promise<Dataset> {
  const name = 'The body'
  const dataset = await openDirectory(dir).catch((error: Error) => {
    throw new GatewayError('BAD_INPUT', error.message.replaceAll(dir, name))
  })
  const bounded = boundBytes(maxBytes)
  return {
    name,
    async open(file) {
      const found = await dataset.open(file)
      return found && { ...found, stream: pipeline(found.stream, bounded(), () => {}) }
    },
  }
}

interface BadLine {
  file: string
  line: number
  field?: string
  reason: string
}

// Each line that cannot be imported is a problem of the body.
function withLines(error: Error & { badLines?: BadLine[] }): Error {
  if (!error.badLines) return error
  const problems = error.badLines.map(({ file, line, field, reason }): InputProblem => {
    const message = field === undefined ? reason : `${field}: ${reason}`
    return { in: 'body', name: `${file}:${line}`, message }
  })
  return new GatewayError('BAD_INPUT', error.message, problems)
}

// An export that fills the disk could stop a Postgres on it.
async function assertRoom({ store }: Deps, dir: string): Promise<void> {
  const { rows } = await store.pool.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  )
  if ((await freeBytes(dir)) > Number(rows[0]?.bytes ?? 0)) return
  const message = 'The directory of temporary files has less room than the store takes.'
  throw new GatewayError('UNAVAILABLE', message)
}

function readQuery<Query>(schema: z.ZodType<Query>, { query }: FastifyRequest): Query {
  const { data, error } = schema.safeParse(query)
  if (!error) return data
  const problems = error.issues.flatMap((issue): InputProblem[] => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')]
    const message = issue.code === 'unrecognized_keys' ? 'is not a parameter of it' : issue.message
    return names.map((name) => ({ in: 'query', name: name.slice(0, 60), message }))
  })
  const detail = problems.map(({ name, message }) => `${name} ${message}`).join('; ')
  throw new GatewayError('BAD_INPUT', `${detail}.`, problems)
}
