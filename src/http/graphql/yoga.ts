import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { exactJson } from '../../exact-number.ts'
import type { Graph, OperationCall } from '../../graphql/execution/graph.ts'
import { type Operation, UNPLANNED } from '../../graphql/execution/operation.ts'
import { answerText, resultOf } from '../../graphql/execution/outcome.ts'
import { subscribe } from '../../graphql/live/subscribe.ts'
import { operationNameOf, type RequestParams } from '../../graphql/policy/documents.ts'
import type { Connections } from '../server/connections.ts'

/** The parts of a request that its operation uses. */
export interface ServerContext extends OperationCall {
  requestId: string
  client: string
  /** Aborted when the client has gone or has its answer. Ends a subscription. */
  signal: AbortSignal
  revoked: AbortSignal | undefined
  /**
   * The result of an operation that has already failed. It is presented, and nothing is read a
   * second time.
   */
  failed?: ExecutionResult | undefined
}

type Context = ServerContext & { request: Request }

/**
 * Creates the handler of /graphql for requests that are more than a plain query: it negotiates
 * media types, streams, and reports invalid requests. The HTTP server around it adds limits, CORS
 * and the pages.
 */
export function createGraphQLServer(graph: Graph) {
  return createYoga<ServerContext>({
    schema: graph.schema,
    graphqlEndpoint: '/graphql',
    healthCheckEndpoint: '/graphql/live',
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    // The graph has its cache of documents.
    parserAndValidationCache: false,
    // The graph presents all errors, with the request's id.
    maskedErrors: { maskError: (error) => resultOf(error).errors[0] as GraphQLError },
    plugins: [unreadableRefused(), runByGraph(graph)],
  })
}

// Rejects requests whose parameters cannot be read: for the parser of bodies that are not JSON,
// that is an internal error.
function unreadableRefused(): Plugin {
  const refusalOf = (error: unknown) => {
    if (error instanceof GraphQLError) return error
    return new GraphQLError(
      error instanceof SyntaxError
        ? 'The parameters variables and extensions must be JSON objects, such as {"first": 10}. ' +
            `${error.message}.`
        : 'The request cannot be read. Send a JSON object with a query, as application/json.',
    )
  }
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return
      setRequestParser(async (request) => {
        try {
          const documentId = await sentDocumentId(request)
          const sent = await requestParser(request)
          if (!isObject(sent)) return sent
          const params = { ...sent, operationName: operationNameOf(sent as RequestParams) }
          return documentId === undefined ? params : { ...params, documentId }
        } catch (error) {
          const refused = refusalOf(error)
          refused.extensions.code ??= 'BAD_REQUEST'
          refused.extensions.http ??= { status: 400 }
          throw refused
        }
      })
    },
  }
}

function runByGraph(graph: Graph): Plugin<Context> {
  const { operations } = graph
  return {
    async onParams({ params, setParams }) {
      if (!isObject(params)) return
      const { documentId, ...rest } = params as typeof params & RequestParams
      // The server rejects a query that is not a string.
      if (typeof (rest.query ?? '') !== 'string') return
      const query = await graph.documentText({ ...rest, documentId })
      if (query !== undefined) setParams({ ...rest, query })
    },
    onParse({ setParseFn, context }) {
      const { operationName } = (context as unknown as { params: { operationName?: string } })
        .params
      setParseFn((source: string) => {
        const document = operations.parse(source)
        operations.assertNamed(document, operationName)
        return document
      })
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema: unknown, document: DocumentNode) => operations.validate(document))
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn((args) => answer(graph, args))
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(
        async ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => {
          const operation = operations.of(document, operationName ?? undefined) as Operation
          const variables = variableValues ?? {}
          await graph.admit(operation, variables, contextValue as Context)
          return subscribe(graph, operation, variables, contextValue as Context)
        },
      )
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (isAsyncIterable(result) || Array.isArray(result)) return
      const { requestId, caller } = serverContext as unknown as Context
      const presented = graph.present(result as ExecutionResult, requestId, caller)
      setResult({ stringify: exactJson, ...presented })
    },
  }
}

async function answer(graph: Graph, args: ExecutionArgs): Promise<ExecutionResult> {
  const { document, operationName, variableValues, contextValue } = args
  const { request, failed, ...call } = contextValue as Context
  if (failed) return failed
  const operation = graph.operations.of(document, operationName ?? undefined) as Operation
  const variables = variableValues ?? {}
  await graph.admit(operation, variables, call)
  const { admin, caller } = call
  const outcome = await graph.run(
    { operation, variables, admin, unplanned: UNPLANNED.request },
    caller ?? call.signal,
  )
  const asksCost = request.headers.get('x-graphql-cost') === '1'
  const more = asksCost ? { cost: graph.limiter.cost(operation, variables) } : undefined
  if (!outcome.failed)
    return { stringify: () => answerText(operation, outcome, more) } as ExecutionResult
  return more
    ? { ...outcome.failed, extensions: { ...outcome.failed.extensions, ...more } }
    : outcome.failed
}

const isObject = <T>(value: T): value is T & object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// The documentId of a URL or a form, which the server's parsers of both leave out.
async function sentDocumentId(request: Request): Promise<string | undefined> {
  const type = request.headers.get('content-type')
  let sent = ''
  if (request.method === 'GET') sent = new URL(request.url).search
  else if (type?.startsWith('application/x-www-form-urlencoded'))
    sent = await request.clone().text()
  return new URLSearchParams(sent).get('documentId') ?? undefined
}

const STALLED_MS = 60_000
const CLOSING_MS = 300

/**
 * Sends event streams. When the server closes they end at once without a `complete` event, so
 * clients reconnect to the next server.
 */
export function eventStreams(app: FastifyInstance, connections: Connections) {
  const open = new Map<FastifyReply, Readable>()
  let closing = false
  const end = async (reply: FastifyReply, stream: Readable) => {
    const { raw } = reply
    stream.unpipe(raw)
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(() => raw.destroy(), CLOSING_MS)
      raw.once('close', () => {
        clearTimeout(deadline)
        resolve()
      })
      raw.end(() => raw.destroy())
    })
  }
  app.addHook('preClose', async () => {
    closing = true
    await Promise.all([...open].map(([reply, stream]) => end(reply, stream)))
  })
  return {
    send(reply: FastifyReply, body: Readable): FastifyReply {
      const { raw } = reply
      // A body that is destroyed before it is read fails. Without a listener, that would end the
      // process.
      body.on('error', (error) => {
        if (!raw.destroyed)
          reply.log.error({ err: error, requestId: reply.request.id }, 'an event stream failed')
      })
      if (raw.destroyed) {
        body.destroy()
        return reply.hijack()
      }
      // The chain, the stream and Fastify each wait for its end: in an overload, more than ten
      // listeners.
      raw.setMaxListeners(20)
      const stream = Readable.from(body)
      open.set(reply, stream)
      connections.stream(raw.socket as Socket)
      raw.once('close', () => open.delete(reply))
      raw.setTimeout(STALLED_MS, () => raw.destroy())
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-accel-buffering', 'no')
        .send(stream)
      if (closing) void end(reply, stream)
      return reply
    },
  }
}
