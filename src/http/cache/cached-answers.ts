import type { IncomingMessage, ServerResponse } from 'node:http'
import { plainAnswer, VARY } from '../graphql/request-params.ts'
import { minVersionOf } from '../observe/data-version.ts'
import { recordOf } from '../observe/request-record.ts'
import { bypassesCache, type EdgeCache } from './edge-cache.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers a GET from the edge cache. @returns whether it was cached */
export function sendCached(edge: EdgeCache, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '', headers } = request
  const isCacheable = (method === 'GET' || method === 'HEAD') && !bypassesCache(headers)
  const answer = isCacheable ? edge.find(url, minVersionOf(headers)) : undefined
  if (!answer) return false
  const record = recordOf(request)
  record.cache = 'hit'
  record.route = answer.name
  sendAnswer({ id: record.id, method, headers }, response, answer, edge)
  return true
}

/** Answers a GraphQL query from the edge cache. @returns whether it was cached. If not, the body can still be read */
export function sendCachedQuery(edge: EdgeCache, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, headers, readableLength } = request
  const isReady =
    method === 'POST' ? Number(headers['content-length']) === readableLength : !headers.accept?.includes('text/html')
  if (!isReady || bypassesCache(headers)) return false
  const body: Buffer | null = request.read()
  const { key, type } = plainAnswer(request, body) ?? {}
  const answer = key === undefined ? undefined : edge.find(key, minVersionOf(headers))
  if (!answer) {
    if (body) request.unshift(body)
    return false
  }
  request.resume()
  const record = recordOf(request)
  record.cache = 'hit'
  record.route = '/graphql'
  record.startOperation(answer.name)
  sendAnswer({ id: record.id, method, headers }, response, answer, edge, { type, vary: VARY })
  return true
}
