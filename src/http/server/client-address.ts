import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'

/** The number of proxies in front, or their addresses and networks. Undefined if there are none. */
export type Proxies = number | string[] | undefined

/**
 * Identifies the client of a request by its IPv4 address or the /64 network of its IPv6 address.
 */
export type ClientOf = (request: IncomingMessage) => string

/** Trusts only the part of `X-Forwarded-For` that known proxies wrote. */
export function clientAddress(proxies: Proxies): ClientOf {
  const socketAddress = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''
  if (proxies === undefined) return (request) => networkOf(socketAddress(request))
  const trusts = trustIn(proxies)
  return (request) => networkOf(withoutPort(proxyAddr(request, trusts) || socketAddress(request)))
}

/** Says if the proxy at an address and a number of hops is trusted. */
export function trustIn(proxies: NonNullable<Proxies>): (address: string, hop: number) => boolean {
  const isProxy =
    typeof proxies === 'number'
      ? (_: string, hop: number) => hop < proxies
      : proxyAddr.compile(proxies)
  return (address, hop) => isProxy(withoutPort(address), hop)
}

// Azure's gateways and IIS write `1.1.1.1:5555` and `[2001:db8::1]:443`.
const withoutPort = (address: string) => address.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3')

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

// The network of ::1 is unspecified.
const NEAR = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
  'unspecified',
])

/**
 * How many of `max` one client may have, by its address. The default leaves room for other clients,
 * and gives more to a client that may be a proxy.
 */
export const shareOf = (max: number, set?: number) => (client: string) =>
  set ?? Math.ceil(max * (isNear(client) ? 0.9 : 0.1))

function isNear(client: string): boolean {
  const address = client.replace(/\/64$/, '')
  return ipaddr.isValid(address) && NEAR.has(ipaddr.parse(address).range())
}
