import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { examples } from '../../graphql/examples.ts'
import { Graph } from '../../graphql/execution/graph.ts'
import { Live } from '../../graphql/live/live.ts'
import { Slots, type SlotsOptions } from '../../graphql/live/slots.ts'
import { Documents, idOfDocument } from '../../graphql/policy/documents.ts'
import { createSchema } from '../../graphql/schema/schema.ts'
import { sharesOf } from '../../memory.ts'
import { endpointOperations } from '../../rest/endpoint-operations.ts'
import { graphOperations } from '../../sources/index.ts'
import { shareOf } from '../server/client-address.ts'
import { countOperations, NO_SLOT } from './refusals.ts'

/** The graph as it is served to clients. */
export interface ServedGraph {
  graph: Graph
  live: Live
  sockets: Slots
}

/**
 * Opens the graph with the configured limits, the subscriptions and the documents that clients can
 * send by their id.
 */
export async function openServedGraph(
  app: FastifyInstance,
  deps: Deps,
  documents: Documents,
  plan: boolean,
): Promise<ServedGraph> {
  const { config, store, notifications, log, outage, metrics } = deps
  const shares = sharesOf(config)
  const count = countOperations(metrics)
  const slots = (name: string) =>
    new Slots({ ...slotsOf(config), name, onFull: () => count.refusal(NO_SLOT) })
  const live = new Live({
    notifications,
    store,
    log,
    slots: slots('subscriptions'),
    maxReads: Math.ceil(config.DATABASE_POOL_SIZE / 2),
    maxBytes: shares.live,
  })
  app.addHook('onClose', async () => live.close())
  const limits = limitsOf(config)
  const graph = new Graph(
    createSchema(deps),
    { ...deps, live, limits, onAway: (error) => outage.failed(error) },
    { limits, plan, documents, count, maxBytes: shares.documents },
  )
  for (const text of config.KNOWN_DOCUMENTS) {
    const fault = graph.limiter.faultOf(text)
    if (fault !== undefined)
      log.warn(
        { documentId: idOfDocument(text), fault },
        'a trusted document is rejected by the graph',
      )
  }
  return { graph, live, sockets: slots('sockets') }
}

/** The trusted documents of this gateway, and those that clients persist. */
export async function openDocuments({ config, cache }: Deps): Promise<Documents> {
  return new Documents({
    trusted: [
      ...examples.map(({ query }) => query),
      ...endpointOperations,
      ...Object.values(graphOperations),
      ...config.KNOWN_DOCUMENTS,
      ...(config.TRUSTED_DOCUMENTS_ONLY
        ? (await import('../dashboard-documents.ts')).dashboardDocuments
        : []),
    ],
    trustedOnly: config.TRUSTED_DOCUMENTS_ONLY,
    shared: config.REDIS_URL === undefined ? undefined : cache,
    maxBytes: sharesOf(config).persisted,
  })
}

function slotsOf(config: Config): Pick<SlotsOptions, 'max' | 'maxPerClient'> {
  const { MAX_SUBSCRIPTIONS: max, MAX_SUBSCRIPTIONS_PER_CLIENT: set } = config
  return { max, maxPerClient: shareOf(max, set) }
}

function limitsOf(config: Config) {
  return {
    depth: config.MAX_QUERY_DEPTH || null,
    aliases: config.MAX_QUERY_ALIASES || null,
    tokens: config.MAX_QUERY_TOKENS || null,
    cost: config.MAX_QUERY_COST || null,
  }
}
