import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { type Proxies, trustIn } from './client-address.ts'

/**
 * The origin that the client of a request has asked: `https://points.example.org`. Undefined if its
 * host is not valid.
 */
export type OriginOf = (request: IncomingMessage) => string | undefined

const HOST = /^([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/

/**
 * Takes the scheme and the host from `X-Forwarded-Proto` and `X-Forwarded-Host` as far as known
 * proxies wrote them.
 */
export function clientOrigin(proxies: Proxies): OriginOf {
  const trusts = proxies === undefined ? () => false : trustIn(proxies)
  return (request) => {
    const { headers, socket } = request
    const hops = trusts(socket.remoteAddress ?? '', 0)
      ? Math.max(1, proxyAddr.all(request, trusts).length - 1)
      : 0
    const forwarded = (name: string) => (hops > 0 ? lastOf(headers[name], hops) : undefined)
    const host = (forwarded('x-forwarded-host') ?? headers.host ?? '').toLowerCase()
    const scheme = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http'
    return HOST.test(host) ? `${scheme}://${host}` : undefined
  }
}

// The value that the first of some trusted proxies wrote: each adds one, or leaves the list as it
// is.
function lastOf(header: string | string[] | undefined, hops: number): string | undefined {
  if (header === undefined) return undefined
  const values = String(header).split(',')
  return values[Math.max(0, values.length - hops)]?.trim()
}
