import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { historyPoint } from '../db/connect/history.ts'
import type { Deps } from '../deps.ts'
import { Keys } from '../keys/index.ts'
import { sharesOf } from '../memory.ts'
import { releaseOf } from '../release.ts'
import { EdgeCache } from './cache/edge-cache.ts'
import { addEtags } from './cache/send-answer.ts'
import { SharedAnswers } from './cache/shared-answers.ts'
import { type Chain, continueRouted, openChain } from './chain.ts'
import { type Observer, openObserver } from './observe/observer.ts'
import { Admission, admitRead, boundBodies } from './server/admission.ts'
import { type ClientOf, clientAddress } from './server/client-address.ts'
import { Connections } from './server/connections.ts'
import { CORS } from './server/cors.ts'
import { decodeBodies } from './server/decode-bodies.ts'
import { isProbe } from './server/path.ts'
import { openRateLimit, type RateLimit } from './server/rate-limit.ts'

/** The steps of every request before its route. */
export interface Edge {
  cache: EdgeCache
  chain: Chain
  connections: Connections
  observer: Observer
  rateLimit: RateLimit
  clientOf: ClientOf
  keys: Keys
}

/**
 * Opens the chain in front of a server, and the hooks that continue it when a request has been
 * routed.
 * @param knownOperations the operations that metrics name
 */
export async function openEdge(
  app: FastifyInstance,
  deps: Deps,
  knownOperations: ReadonlySet<string>,
): Promise<Edge> {
  const { config, store, notifications, metrics, now } = deps
  const dataState = () => historyPoint(store)
  const shared =
    config.REDIS_URL === undefined
      ? undefined
      : new SharedAnswers({ cache: deps.cache, release: await releaseOf(config), dataState })
  const maxBytes = sharesOf(config).answers
  const cache = new EdgeCache({ maxBytes, notifications, shared, now })
  store.replicas?.onRaise(() => cache.clear())
  store.replicas?.start()
  const clientOf = clientAddress(config.TRUST_PROXY)
  const rateLimit = await openRateLimit(app, deps, clientOf)
  const connections = new Connections(app.server, {
    max: config.MAX_CONNECTIONS,
    sendTimeoutMs: config.SEND_TIMEOUT_MS,
    metrics,
  })
  const admission = new Admission(config.MAX_CONCURRENT_REQUESTS)
  const observer = await openObserver(app, deps, knownOperations)
  const keys = new Keys(deps, clientOf)
  const chain = openChain(app.server, {
    ...{ observer, connections, rateLimit, edge: cache, admission, metrics, keys },
    basePath: config.BASE_PATH,
  })
  app.addHook('preClose', async () => {
    chain.close()
    connections.closeIdle()
  })
  app.addHook('onClose', async () => connections.close())
  await app.register(cors, CORS)
  continueRouted(app)
  addEtags(app)
  decodeBodies(app)
  boundBodies(app, chain.refuseOverload)
  admitRead(app, { admission, isExempt: isProbe, refuse: chain.refuseOverload })
  return { cache, chain, connections, observer, rateLimit, clientOf, keys }
}
