import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Admin } from '../graphql/context.ts'

/** Whether a request carries the admin token. The comparison takes the same time for any token. */
export function adminOf(headers: IncomingHttpHeaders, token: string | undefined): Admin {
  if (token === undefined) return 'closed'
  const [, given] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(token)) ? 'yes' : 'no'
}
