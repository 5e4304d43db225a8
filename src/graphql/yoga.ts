import { getOperationAST, Kind, type OperationDefinitionNode } from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { plainReader } from '../db/store.ts'
import { type Admin, Batches, type GraphContext } from './context.ts'
import { presentError, presentResult } from './errors.ts'
import { createContext, type Graph } from './execute.ts'
import { readFor } from './read.ts'
import { subscribe } from './subscribe.ts'

/** What the HTTP server tells an operation about its request. */
export interface ServerContext {
  requestId: string
  admin: Admin
  /** Aborted when the client is gone or has its answer: it ends a subscription. */
  signal: AbortSignal
}

/** GraphQL over HTTP at /graphql. The server around it has limits, CORS and the pages. */
export function createGraphQLServer(graph: Graph) {
  return createYoga<ServerContext, GraphContext>({
    schema: graph.schema,
    graphqlEndpoint: '/graphql',
    healthCheckEndpoint: '/graphql/live',
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    context: ({ admin }) => createContext(graph, plainReader(graph.deps.store), admin),
    maskedErrors: {
      maskError(error) {
        const { shown, internal } = presentError(error, 'unknown')
        if (internal) graph.deps.log.error({ err: error }, 'an operation failed')
        return shown
      },
    },
    plugins: [oneSnapshot(graph), errorsPresented(graph), liveEvents(graph)],
  })
}

/** Everything that a query reads belongs to one snapshot of the store. */
function oneSnapshot({ deps }: Graph): Plugin<GraphContext & ServerContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName)
      if (operation?.operation !== 'query' || needsNoSnapshot(operation)) return
      setExecuteFn((own) =>
        readFor(deps.store, own.document, async (reader) => {
          const context = { ...own.contextValue, reader, batches: new Batches() } as GraphContext
          return executeFn({ ...own, contextValue: context })
        }),
      )
    },
  }
}

/** Errors are shown with a code and the request's id; faults of ours are logged, and only their id is shown. */
function errorsPresented({ deps }: Graph): Plugin<GraphContext & ServerContext> {
  return {
    onExecute({ args }) {
      const { requestId } = args.contextValue as unknown as ServerContext
      return {
        onExecuteDone({ result, setResult }) {
          if (!isAsyncIterable(result)) setResult(presentResult(result, requestId, deps.log))
        },
      }
    },
  }
}

/** Subscriptions run on what the store tells; each event is read from a snapshot of its own. */
function liveEvents(graph: Graph): Plugin<GraphContext & ServerContext> {
  return {
    onSubscribe({ args, setSubscribeFn }) {
      const subscriber = args.contextValue as unknown as ServerContext
      setSubscribeFn(() => subscribe(graph, args, subscriber))
    },
  }
}

/** Reads nothing but the schema; or previews, each of which reads in a transaction of its own, for as long as it takes. */
function needsNoSnapshot({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  return selections.every(
    (one) => one.kind === Kind.FIELD && (one.name.value.startsWith('__') || one.name.value === 'previewDistribution'),
  )
}
