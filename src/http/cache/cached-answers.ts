import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestIdOf } from '../server/request-id.ts'
import { bypassesCache, type EdgeCache } from './edge-cache.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers a GET from the edge cache. @returns whether it was cached */
export function sendCached(edge: EdgeCache, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '', headers } = request
  const answer = (method === 'GET' || method === 'HEAD') && !bypassesCache(headers) ? edge.find(url) : undefined
  if (!answer) return false
  sendAnswer({ id: requestIdOf(headers), method, headers }, response, answer, edge)
  return true
}
