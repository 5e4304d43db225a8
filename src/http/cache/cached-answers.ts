import type { ServerResponse } from 'node:http'
import type { Exchange } from '../exchange.ts'
import { plainAnswer, VARY } from '../graphql/request-params.ts'
import { bypassesCache, type EdgeCache } from './edge-cache.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers a GET from the edge cache. @returns whether it was cached */
export function sendCached(edge: EdgeCache, exchange: Exchange): boolean {
  const { method, url = '', headers } = exchange.request
  const isCacheable = (method === 'GET' || method === 'HEAD') && !bypassesCache(headers)
  const answer = isCacheable ? edge.find(url, exchange.minVersion) : undefined
  if (!answer) return false
  exchange.cache = 'hit'
  exchange.route = answer.name
  sendAnswer({ id: exchange.id, method, headers }, exchange.response as ServerResponse, answer, edge)
  return true
}

/** Answers a GraphQL query from the edge cache. @returns whether it was cached. If not, the body can still be read */
export function sendCachedQuery(edge: EdgeCache, exchange: Exchange): boolean {
  const { request } = exchange
  const { method, headers, readableLength } = request
  const isReady =
    method === 'POST' ? Number(headers['content-length']) === readableLength : !headers.accept?.includes('text/html')
  if (!isReady || bypassesCache(headers)) return false
  const body: Buffer | null = request.read()
  const { key, type } = plainAnswer(request, body) ?? {}
  const answer = key === undefined ? undefined : edge.find(key, exchange.minVersion)
  if (!answer) {
    if (body) request.unshift(body)
    return false
  }
  request.resume()
  exchange.cache = 'hit'
  exchange.route = '/graphql'
  exchange.startOperation(answer.name)
  const options = { type, vary: VARY }
  sendAnswer({ id: exchange.id, method, headers }, exchange.response as ServerResponse, answer, edge, options)
  return true
}
