import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What a request is known by in its answer and in logs: what its client calls it, where that is sound, or a new id. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
