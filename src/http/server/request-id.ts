import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The id of a request in its answer and in logs: the client's if it is valid, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
