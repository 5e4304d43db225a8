import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Config, ConfigError } from './config.ts'
import { historyPoint } from './db/connect/history.ts'
import type { Deps } from './deps.ts'
import { GatewayError } from './errors.ts'
import { examples } from './graphql/examples.ts'
import { openGraph } from './graphql/execution/graph.ts'
import { openLive } from './graphql/live/live.ts'
import { Slots } from './graphql/live/slots.ts'
import { Documents, idOfDocument } from './graphql/policy/documents.ts'
import type { Limits } from './graphql/policy/limits.ts'
import { createSchema } from './graphql/schema/schema.ts'
import { EdgeCache } from './http/cache/edge-cache.ts'
import { addEtags } from './http/cache/etag.ts'
import { isProbe, openChain } from './http/chain.ts'
import { mountDashboard } from './http/dashboard.ts'
import { exchangeOf } from './http/exchange.ts'
import { mountGraphQL } from './http/graphql/mount.ts'
import { countOperations, NO_SLOT } from './http/graphql/refusals.ts'
import { mountHealth } from './http/health.ts'
import { mountHome } from './http/home.ts'
import { mountMetrics } from './http/metrics.ts'
import { DATA_VERSION, minVersionOf } from './http/observe/data-version.ts'
import { Observer } from './http/observe/observer.ts'
import { RequestLog } from './http/observe/request-log.ts'
import { RequestMetrics } from './http/observe/request-metrics.ts'
import { openApiDocument } from './http/openapi.ts'
import { mountRest } from './http/rest.ts'
import { mountRestDocs } from './http/rest-docs.ts'
import { adminTokens } from './http/server/admin.ts'
import { Admission, admitRead } from './http/server/admission.ts'
import { boundBodies } from './http/server/body-budget.ts'
import { type ClientOf, clientAddress, isNear } from './http/server/client-address.ts'
import { Connections } from './http/server/connections.ts'
import { CORS } from './http/server/cors.ts'
import { errorHandler, problem, sendProblem } from './http/server/problem.ts'
import { RateLimit } from './http/server/rate-limit.ts'
import { mountSite } from './http/site.ts'
import { sharesOf } from './memory.ts'
import { releaseOf } from './release.ts'
import { endpointOperations } from './rest/endpoint-operations.ts'
import { graphOperations } from './sources/mirror/gateway-graph.ts'

const BODY_LIMIT = 1024 * 1024
/** How often requests are checked for REQUEST_TIMEOUT_MS. */
const CHECK_MS = 1000

/** Creates the HTTP server, which does not listen yet. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, store, notifications, cache, metrics, outage, log, now, primary } = deps
  const handleError = errorHandler(outage)
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    // The few log lines of requests carry the request id themselves.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 16_000, ignoreTrailingSlash: true, caseSensitive: false },
    requestIdHeader: false,
    genReqId: (request) => exchangeOf(request).id,
    frameworkErrors: (error, request, reply) => {
      // No hook has run before routing.
      reply.header('request-id', request.id).header('vary', 'Origin').header('access-control-allow-origin', '*')
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
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method, { hasBody: true })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler<Error>(handleError)
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, 404, `There is nothing at ${request.url.split('?')[0]}.`),
  )
  // A store that hangs fails nothing for a while, but its heartbeat is missed at once.
  const unwatch = notifications.onDown(() => void store.probe.ping().catch((error) => outage.failed(error)))
  app.addHook('onClose', async () => unwatch())
  const redis = config.REDIS_URL === undefined ? undefined : cache
  const shares = sharesOf(config)
  const edge = new EdgeCache({
    maxBytes: shares.answers,
    notifications,
    shared: redis && { cache: redis, release: await releaseOf(config) },
    historyPoint: () => historyPoint(store),
    now,
  })
  const { replicas } = store
  replicas?.onRaise(() => edge.clear())
  replicas?.start()
  const clientOf = clientAddress(config.TRUST_PROXY)
  const rateLimit = await openRateLimit(app, deps, clientOf)
  const connections = new Connections(app.server, {
    max: config.MAX_CONNECTIONS,
    sendTimeoutMs: config.SEND_TIMEOUT_MS,
    metrics,
  })
  const admission = new Admission(config.MAX_CONCURRENT_REQUESTS)
  const documents = new Documents({
    trusted: [
      ...examples.map(({ query }) => query),
      ...endpointOperations,
      ...Object.values(graphOperations),
      ...config.KNOWN_DOCUMENTS,
      ...(config.TRUSTED_DOCUMENTS_ONLY ? (await import('./http/dashboard-documents.ts')).dashboardDocuments : []),
    ],
    trustedOnly: config.TRUSTED_DOCUMENTS_ONLY,
    shared: redis,
    maxBytes: shares.persisted,
  })
  const observer = await openObserver(app, deps, documents.operationNames)
  const chain = openChain(app.server, { observer, connections, rateLimit, edge, admission, metrics })
  app.addHook('preClose', async () => {
    chain.close()
    connections.closeIdle()
  })
  app.addHook('onClose', async () => connections.close())
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('request-id', request.id).header('vary', 'Origin')
    exchangeOf(request.raw, reply.raw).route = documentedPath(request.routeOptions.url)
    done()
  })
  await app.register(cors, CORS)
  app.addHook('onRequest', (request, _reply, done) => done(unreadable(request)))
  addEtags(app)
  boundBodies(app, chain.refuseOverload)
  admitRead(app, { admission, isExempt: isProbe, refuse: chain.refuseOverload })

  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    known.set(url, methods)
  })

  const document = openApiDocument()
  const tokens = adminTokens(config)
  const count = countOperations(metrics)
  const bounds = {
    max: config.MAX_SUBSCRIPTIONS,
    maxPerClient: maxSubscriptionsPerClient(config),
    onFull: () => count.refusal(NO_SLOT),
  }
  const live = openLive({
    notifications,
    store,
    log,
    slots: new Slots({ ...bounds, name: 'subscriptions' }),
    maxReads: Math.ceil(config.DATABASE_POOL_SIZE / 2),
    maxBytes: shares.live,
  })
  app.addHook('onClose', async () => live.close())
  const schema = config.FEDERATION ? (await import('./graphql/schema/federation.ts')).createSubgraph() : createSchema()
  const limits = limitsOf(config)
  const graph = openGraph(
    schema,
    { ...deps, live, limits, onAway: (error: Error) => outage.failed(error) },
    { limits, plan: config.PLAN === 'on', documents, count, maxBytes: shares.documents },
  )
  for (const text of config.KNOWN_DOCUMENTS) {
    const fault = graph.limiter.faultOf(text)
    if (fault !== undefined)
      log.warn({ documentId: idOfDocument(text), fault }, 'a trusted document is rejected by the graph')
  }
  mountHome(app, config.WEBSITE_URL)
  mountHealth(app, { probe: store.probe, cache, log, isClosing: () => chain.closing })
  const scraped = config.METRICS_PORT === undefined ? app : openMetricsServer(app, config.HOST, config.METRICS_PORT)
  mountMetrics(scraped, {
    metrics,
    store,
    notifications,
    edge,
    redis,
    live,
    memory: () => ({
      answers: edge.size.bytes,
      documents: graph.operations.bytes,
      live: live.bytes,
      statements: store.statements.bytes,
      persisted: documents.bytes,
    }),
    dataDir: config.DATABASE_URL === undefined ? config.DATA_DIR : undefined,
    primary,
    log,
    now,
  })
  mountRest(app, { graph, edge, adminTokens: tokens, rateLimit })
  mountGraphQL(app, {
    graph,
    edge,
    adminTokens: tokens,
    rateLimit,
    clientOf,
    connections,
    observer,
    chain,
    slots: new Slots({ ...bounds, name: 'sockets' }),
    idleMs: config.KEEP_ALIVE_TIMEOUT_MS,
  })
  const openApiJson = JSON.stringify(document)
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(openApiJson))
  mountRestDocs(app, edge)
  mountSite(app, edge)
  mountDashboard(app, edge)
  refuseOtherMethods(app, known)
  return app
}

/** A server for metrics on a port of its own, which opens and closes with the other. */
function openMetricsServer(app: FastifyInstance, host: string, port: number): FastifyInstance {
  const server = Fastify({ forceCloseConnections: true })
  app.addHook('onReady', async () => {
    await server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      const message = `${port} of ${host} is in use: set another one.`
      throw new ConfigError(`METRICS_PORT ${message}`, [{ name: 'METRICS_PORT', message }])
    })
  })
  app.addHook('onClose', () => server.close())
  return server
}

/** Observes requests: their log lines, their metrics, and their traces if they are exported. */
async function openObserver(
  app: FastifyInstance,
  { config, log, metrics, outage }: Deps,
  knownOperations: ReadonlySet<string>,
): Promise<Observer> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const traces =
    endpoint === undefined ? undefined : (await import('./http/observe/request-traces.ts')).openTraces(endpoint, log)
  if (traces) app.addHook('onClose', () => traces.close())
  return new Observer({
    traces,
    metrics: new RequestMetrics({ metrics, knownOperations }),
    log: new RequestLog({
      log,
      which: config.LOG_REQUESTS,
      slowRequestMs: config.SLOW_REQUEST_MS,
      slowStatementMs: config.SLOW_STATEMENT_MS,
      isAway: () => outage.active,
    }),
  })
}

/** The rate limit, if one is set. Points are counted in Redis if there is one, else by the primary for all workers. */
async function openRateLimit(
  app: FastifyInstance,
  { config: { RATE_LIMIT: limit, REDIS_URL: redisUrl }, primary }: Deps,
  clientOf: ClientOf,
): Promise<RateLimit | undefined> {
  if (limit === undefined) return undefined
  if (redisUrl === undefined)
    return new RateLimit({ limit, clientOf, shared: primary && { add: primary.ask.addPoints } })
  const { openRedisPointCounter } = await import('./http/server/redis-point-counter.ts')
  const shared = openRedisPointCounter(redisUrl)
  app.addHook('onClose', async () => shared.close())
  return new RateLimit({ limit, clientOf, shared })
}

/**
 * The maximum subscriptions per client. The default leaves room for other clients, and gives more to a client that may be
 * a proxy.
 */
function maxSubscriptionsPerClient(config: Config): (client: string) => number {
  const { MAX_SUBSCRIPTIONS: most, MAX_SUBSCRIPTIONS_PER_CLIENT: set } = config
  return (client) => set ?? Math.ceil(most * (isNear(client) ? 0.9 : 0.1))
}

/** The configured limits. 0 means no limit. */
function limitsOf(config: Config): Limits {
  return {
    depth: config.MAX_QUERY_DEPTH || null,
    aliases: config.MAX_QUERY_ALIASES || null,
    tokens: config.MAX_QUERY_TOKENS || null,
    cost: config.MAX_QUERY_COST || null,
  }
}

/** Answers a known path with another method with a 405 that lists the allowed methods. */
function refuseOtherMethods(app: FastifyInstance, known: Map<string, Set<string>>): void {
  for (const [url, methods] of [...known]) {
    if (url === '*') continue
    const allow = [...methods].join(', ')
    const others = app.supportedMethods.filter((method) => !methods.has(method) && method !== 'OPTIONS')
    app.route({
      method: others,
      url,
      exposeHeadRoute: false,
      handler: (request, reply) =>
        sendProblem(reply.header('allow', allow), 405, `${request.method} is not for this path. It takes ${allow}.`),
    })
  }
}

/** A route's path as the documents write it. Undefined if there is no route. */
const documentedPath = (url: string | undefined) => url?.replace(/:(\w+)/g, '{$1}')

function unreadable({ url, headers }: FastifyRequest): GatewayError | undefined {
  if (Number.isNaN(minVersionOf(headers))) {
    const message = 'must be a whole number, as in an answer of this gateway'
    return new GatewayError('BAD_INPUT', `The header ${DATA_VERSION} ${message}.`, [
      { in: 'header', name: DATA_VERSION, message },
    ])
  }
  if (!url.includes('%')) return undefined
  try {
    decodeURIComponent(url)
    return undefined
  } catch {
    const message = 'is not valid: its percent-encoding is broken'
    return new GatewayError('BAD_INPUT', `The URL ${message}.`, [{ in: 'query', name: '', message }])
  }
}

/** Answers input that is not a valid HTTP request, or whose URL and headers are too long. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const timeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const status = tooLong ? 431 : timeout ? 408 : 400
  const detail = tooLong
    ? 'The URL and the headers are too long: at most 16 KiB together.'
    : timeout
      ? 'The request took too long to arrive.'
      : 'This is not an HTTP request that can be read.'
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
