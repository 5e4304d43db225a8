import type { IncomingMessage, ServerResponse } from 'node:http'
import { recordOf } from '../observe/request-record.ts'
import { bypassesCache, type EdgeCache } from './edge-cache.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers a GET from the edge cache. @returns whether it was cached */
export function sendCached(edge: EdgeCache, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '', headers } = request
  const answer = (method === 'GET' || method === 'HEAD') && !bypassesCache(headers) ? edge.find(url) : undefined
  if (!answer) return false
  const record = recordOf(request)
  record.cache = 'hit'
  record.route = answer.name
  sendAnswer({ id: record.id, method, headers }, response, answer, edge)
  return true
}
