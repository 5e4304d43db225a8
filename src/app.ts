import type { FastifyInstance } from 'fastify'
import { mountAgents } from './agents/index.ts'
import { mountDatasets } from './datasets/index.ts'
import type { Deps } from './deps.ts'
import { openEdge } from './http/edge.ts'
import { mountGraphQL } from './http/graphql/mount.ts'
import { openDocuments, openServedGraph } from './http/graphql/served-graph.ts'
import { mountHealth } from './http/health.ts'
import { mountMetrics } from './http/metrics.ts'
import { mountPages } from './http/pages.ts'
import { mountRest } from './http/rest.ts'
import { openServer, refuseOtherMethods } from './http/server/open-server.ts'
import { mountShare } from './share/index.ts'
import { mountTables } from './tables/index.ts'

/**
 * Creates the HTTP server, which does not listen yet.
 * @param options.plan false runs every query on resolvers: tests compare both
 */
export async function createApp(deps: Deps, { plan = true } = {}): Promise<FastifyInstance> {
  const app = openServer(deps)
  const documents = await openDocuments(deps)
  // Listeners of requests that are added before the edge come after it, and later ones before it.
  const edge = await openEdge(app, deps, documents.operationNames)
  const served = await openServedGraph(app, deps, documents, plan)
  const otherMethods = refuseOtherMethods(app)
  mountHealth(app, deps, edge.chain)
  mountMetrics(app, deps, edge, served)
  mountRest(app, deps, served.graph, edge)
  mountGraphQL(app, deps, served, edge)
  mountAgents(app, deps, served.graph, edge)
  mountTables(app, deps, served.graph, edge)
  mountDatasets(app, deps, edge)
  edge.keys.mount(app)
  mountPages(app, edge.cache, deps, mountShare(app, deps, served.graph, edge))
  otherMethods.mount()
  return app
}
