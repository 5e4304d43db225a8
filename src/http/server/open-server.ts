import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { ofExchanges } from '../exchange.ts'
import { errorHandler, problem, sendNotFound, sendProblem } from './problem.ts'

const BODY_LIMIT = 1024 * 1024
const CHECK_MS = 1000

/**
 * Opens a server without routes: how requests are read, and how those that cannot be answered are
 * rejected.
 */
export function openServer({ config, log, outage, store, notifications }: Deps): FastifyInstance {
  const handleError = errorHandler(outage)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 16_000, ignoreTrailingSlash: true, caseSensitive: false },
    requestIdHeader: false,
    ...ofExchanges,
    frameworkErrors: (error, request, reply) => {
      // No hook has run before routing.
      reply
        .header('request-id', request.id)
        .header('vary', 'Origin')
        .header('access-control-allow-origin', '*')
      handleError(error, request as never, reply as never)
    },
    clientErrorHandler: refuseUnreadable,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
    http: { connectionsCheckingInterval: CHECK_MS },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  // Headers that may take longer than the whole request would be the bound on bodies.
  app.server.headersTimeout = config.REQUEST_TIMEOUT_MS
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: true })
  app.setErrorHandler<Error>(handleError)
  app.setNotFoundHandler(sendNotFound)
  // A store that hangs fails nothing for a while, but its heartbeat is missed at once.
  const unwatch = notifications.onDown(
    () => void store.probe.ping().catch((error) => outage.failed(error)),
  )
  app.addHook('onClose', async () => unwatch())
  return app
}

/**
 * Answers the paths of routes that are added from now on, with another method, by a 405 that lists
 * the allowed methods.
 */
export function refuseOtherMethods(app: FastifyInstance): { mount(): void } {
  const paths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    paths.set(url, methods)
  })
  return {
    mount() {
      for (const [url, methods] of [...paths]) {
        if (url === '*') continue
        const allow = [...methods].join(', ')
        const others = app.supportedMethods.filter(
          (method) => !methods.has(method) && method !== 'OPTIONS',
        )
        app.route({
          method: others,
          url,
          exposeHeadRoute: false,
          handler: (request, reply) =>
            sendProblem(
              reply.header('allow', allow),
              405,
              `${request.method} is not for this path. It takes ${allow}.`,
            ),
        })
      }
    },
  }
}

const UNREADABLE = new Map<string | undefined, { status: number; detail: string }>([
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, detail: 'The URL and the headers are too long: at most 16 KiB together.' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, detail: 'The request took too long to arrive.' }],
])
const NOT_HTTP = { status: 400, detail: 'This is not an HTTP request that can be read.' }

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, detail } = UNREADABLE.get(error.code) ?? NOT_HTTP
  const body = JSON.stringify(problem(status, detail))
  const head = [
    `HTTP/1.1 ${status} ${problem(status, detail).title}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `request-id: ${randomUUID()}`,
    'vary: Origin',
    'access-control-allow-origin: *',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
