import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Caller } from '../../db/connect/scope.ts'
import { plainReader } from '../../db/connect/store.ts'
import { GatewayError } from '../../errors.ts'
import { exactJson, parseExact } from '../../exact-number.ts'
import type { Admin, GraphContext } from '../context.ts'
import { subscribe } from '../live/subscribe.ts'
import { documentReference, type RequestParams } from '../policy/documents.ts'
import type { ChargeOperation } from '../policy/limits.ts'
import type { ServedGraph } from '../served-graph.ts'
import { isAway, isRefusal, presentResult, settled } from './errors.ts'
import { createContext, type Graph } from './graph.ts'
import { nameOfOperation } from './name-of-operation.ts'
import { UNPLANNED } from './operations.ts'
import { run } from './run.ts'

/** The request of an operation. Execution notes in it what it finds out. */
export interface OperationCaller extends Caller {
  cost?: number | undefined
  /** The codes of the operation's errors. */
  errors: string[]
  /** The name of the admin who changes something. */
  admin?: string | undefined
  startOperation(name: string): void
}

/** What the HTTP server passes to an operation about its request. */
export interface ServerContext {
  requestId: string
  caller?: OperationCaller
  admin: Admin
  /** The client's address. */
  client: string
  charge: ChargeOperation
  /** Aborted when the client has gone or has its answer. Ends a subscription. */
  signal: AbortSignal
  /** The result of a query that has already failed. It is presented, and nothing is read a second time. */
  failed?: ExecutionResult | undefined
}

/** Creates the handler of /graphql. The HTTP server around it adds limits, CORS and the pages. */
export function createGraphQLServer(graph: ServedGraph) {
  return createYoga<ServerContext, GraphContext>({
    schema: graph.schema,
    graphqlEndpoint: '/graphql',
    healthCheckEndpoint: '/graphql/live',
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    context: ({ admin }) => createContext(graph, plainReader(graph.deps.store), admin),
    // `limited` reads documents from the graph's own cache.
    parserAndValidationCache: false,
    maskedErrors: {
      // `errorsPresented` presents all errors, with the request's id.
      maskError: (error) =>
        error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error }),
    },
    plugins: [
      unreadableRefused(),
      documentsResolved(graph),
      named(),
      limited(graph),
      oneSnapshot(graph),
      liveEvents(graph),
      errorsPresented(graph),
    ],
  })
}

/** Rejects requests whose parameters cannot be read: for the parser of bodies that are not JSON, that is an internal error. */
function unreadableRefused(): Plugin<GraphContext & ServerContext> {
  const refusalOf = (error: unknown) => {
    if (error instanceof GraphQLError) return error
    return new GraphQLError(
      error instanceof SyntaxError
        ? `The parameters variables and extensions must be JSON objects, such as {"first": 10}. ${error.message}.`
        : 'The request cannot be read. Send a JSON object with a query, as application/json.',
    )
  }
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return
      setRequestParser(async (request) => {
        try {
          const documentId = await sentDocumentId(request)
          const params = await requestParser(request)
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

/** Resolves the documents of requests, which may be named instead of sent. Only trusted ones may be allowed. */
function documentsResolved(graph: ServedGraph): Plugin<GraphContext & ServerContext> {
  return {
    async onParams({ params, setParams }) {
      if (typeof params !== 'object' || params === null || Array.isArray(params)) return
      const { documentId, ...rest } = params as typeof params & RequestParams
      // The server rejects a query that is not a string.
      if (typeof (rest.query ?? '') !== 'string') return
      const query = await documentText(graph, { ...rest, documentId })
      if (query !== undefined) setParams({ ...rest, query })
    },
  }
}

/**
 * The text of a request's document. Undefined if it has none.
 * @throws GraphQLError if its parameters or the document are rejected unread
 */
export async function documentText({ documents, limiter }: ServedGraph, params: RequestParams) {
  limiter.assertReadable(params.variables)
  const reference = documentReference(params)
  return Object.values(reference).every((one) => one === undefined) ? undefined : documents.resolve(reference)
}

/** The documentId of a URL or a form, which the server's parsers of both leave out. */
async function sentDocumentId(request: Request): Promise<string | undefined> {
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  const sent = request.method === 'GET' ? new URL(request.url).search : isForm ? await request.clone().text() : ''
  return new URLSearchParams(sent).get('documentId') ?? undefined
}

/** Tells the request the name of its operation, and who changes something. */
function named(): Plugin<GraphContext & ServerContext> {
  const name = ({ document, operationName, contextValue }: ExecutionArgs) => {
    const { caller, admin } = contextValue as ServerContext
    const operation = getOperationAST(document, operationName)
    if (!caller || !operation) return
    caller.startOperation(nameOfOperation(operation))
    if (operation.operation === 'mutation' && typeof admin === 'object') caller.admin = admin.name
  }
  return { onExecute: ({ args }) => name(args), onSubscribe: ({ args }) => name(args) }
}

/** Applies the limits to documents, and the cost limit to each execution, since it depends on the variables. */
function limited({ limiter, operations }: ServedGraph): Plugin<GraphContext & ServerContext> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string) => operations.parse(source))
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema: unknown, document: DocumentNode) => operations.validate(document))
    },
    async onSubscribe({ args: { document, operationName, variableValues, contextValue } }) {
      const { charge } = contextValue as unknown as ServerContext
      await limiter.admit(document, operationName, variableValues, charge)
    },
    async onExecute({ args: { document, operationName, variableValues, contextValue } }) {
      const { request, charge, caller } = contextValue as unknown as ServerContext & { request: Request }
      const requested = await limiter.admit(document, operationName, variableValues, charge)
      if (caller) caller.cost = requested
      const { warnings } = operations.of(document, operationName)
      const asksCost = request.headers.get('x-graphql-cost') === '1'
      if (!asksCost && !warnings) return
      const cost = asksCost && { cost: limiter.cost(document, operationName, variableValues) }
      return {
        onExecuteDone({ result, setResult }) {
          if (!isAsyncIterable(result))
            setResult({ ...result, extensions: { ...result.extensions, ...warnings, ...cost } })
        },
      }
    },
  }
}

/** Runs each query on one snapshot of the store, unless it has failed already. */
function oneSnapshot(graph: ServedGraph): Plugin<GraphContext & ServerContext> {
  return {
    onExecute({ args: { document, operationName, variableValues, contextValue }, executeFn, setExecuteFn }) {
      const operation = getOperationAST(document, operationName)
      if (operation?.operation !== 'query' || needsNoSnapshot(operation))
        return setExecuteFn(async (args) => settled((await executeFn(args)) as ExecutionResult))
      const { failed, admin, signal, caller = signal } = contextValue as unknown as ServerContext
      setExecuteFn(async (): Promise<ExecutionResult> => {
        if (failed) return failed
        const operation = graph.operations.of(document, operationName)
        const request = { operation, variables: variableValues ?? {}, admin, unplanned: UNPLANNED.request }
        const outcome = await run(graph, request, caller)
        return outcome.failed ?? { data: parseExact(outcome.json) as Record<string, unknown> }
      })
    },
  }
}

/**
 * Presents the errors of all stages, with a code and the request's id. Internal errors are logged, and their details
 * are not shown. Refusals and failures are counted.
 */
function errorsPresented(graph: ServedGraph): Plugin<GraphContext & ServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (isAsyncIterable(result) || Array.isArray(result)) return
      const { requestId, caller } = serverContext as unknown as ServerContext
      const presented = presentAndCount(graph, result as ExecutionResult, requestId)
      if (caller && presented.errors) caller.errors = codesOf(presented.errors)
      setResult(Object.assign(presented, { stringify: exactJson }))
    },
  }
}

/** Presents the errors of a result, and counts them. */
export function presentAndCount(
  { deps, onRefusal, onFailure }: ServedGraph,
  result: ExecutionResult,
  requestId: string,
) {
  const presented = presentResult(result, requestId, deps.log)
  for (const code of codesOf(presented.errors)) {
    if (isRefusal(code)) onRefusal(code)
    else onFailure(code)
  }
  const cause = result.errors?.find(isAway)?.originalError
  if (cause && !(cause instanceof GatewayError)) deps.onAway?.(cause)
  return presented
}

const codesOf = (errors: readonly GraphQLError[] = []) => [
  ...new Set(errors.map(({ extensions }) => String(extensions.code))),
]

/** Runs subscriptions on the store's notifications. Each event reads a separate snapshot. */
function liveEvents(graph: Graph): Plugin<GraphContext & ServerContext> {
  return {
    onSubscribe({ args, setSubscribeFn }) {
      const subscriber = args.contextValue as unknown as ServerContext
      setSubscribeFn(() => subscribe(graph, args, subscriber))
    },
  }
}

/** Whether a query only reads the schema or previews. A preview has a separate transaction without a time limit. */
function needsNoSnapshot({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  return selections.every(
    (one) => one.kind === Kind.FIELD && (one.name.value.startsWith('__') || one.name.value === 'previewDistribution'),
  )
}
