import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { requestIdOf } from '../server/request-id.ts'
import { asksAnew, type EdgeCache } from './edge-cache.ts'
import { sendAnswer } from './send-answer.ts'

/** Answers what is kept at once; everything else is for those who listened before. */
export function serveKept(server: Server, edge: EdgeCache): void {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { method, url = '', headers } = request
    const kept = (method === 'GET' || method === 'HEAD') && !asksAnew(headers) ? edge.find(url) : undefined
    if (kept) return sendAnswer({ id: requestIdOf(headers), method, headers }, response, kept, edge)
    for (const listener of listeners) listener.call(server, request, response)
  })
}
