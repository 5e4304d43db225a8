import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import { EdgeCache } from '../http/cache/edge-cache.ts'
import type { Edge } from '../http/edge.ts'
import { mountBadges } from './badge.ts'
import { mountCards } from './cards.ts'
import { describePages } from './describe.ts'
import { mountEmbeds } from './embed.ts'

const CARD_BYTES = 8 * 1024 * 1024

/**
 * Serves what other sites show of the gateway: cards, badges and charts.
 * @returns what writes into the pages of the dashboard how links to them look
 */
export function mountShare(app: FastifyInstance, deps: Deps, graph: Graph, edge: Edge) {
  const { config, notifications, store, now } = deps
  const cards = new EdgeCache({ maxBytes: CARD_BYTES, notifications, shared: undefined, now })
  store.replicas?.onRaise(() => cards.clear())
  const share = { config, graph, edge, cards }
  mountCards(app, share)
  mountBadges(app, share)
  mountEmbeds(app, share)
  return describePages(share)
}
