import { lookup } from 'node:dns'
import { type LookupFunction, Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address that no source may have. The message is a clause about the source. */
export class ForbiddenAddress extends Error {
  constructor(address: string) {
    super(
      `its host leads to ${address}, a link-local or metadata address, which sources may not use`,
    )
  }
}

/** A redirect that is not followed. The message is a clause about the source. */
export class ForbiddenRedirect extends Error {}

// The link-local ranges, and where clouds serve credentials outside of them.
const FORBIDDEN = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
].map((range) => ipaddr.parseCIDR(range))

/**
 * @throws ForbiddenAddress for a link-local or metadata address. Names are resolved by
 * `allowedLookup`
 */
export function assertAllowed(host: string): void {
  if (!ipaddr.isValid(host)) return
  const forms = formsOf(ipaddr.parse(host))
  if (
    forms.some((form) =>
      FORBIDDEN.some((range) => form.kind() === range[0].kind() && form.match(range)),
    )
  )
    throw new ForbiddenAddress(host)
}

// An address, and the IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64 or
// 6to4.
function formsOf(address: ipaddr.IPv4 | ipaddr.IPv6): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  if (address instanceof ipaddr.IPv4) return [address]
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === '6to4') return [address, new ipaddr.IPv4(bytes.slice(2, 6))]
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0)
  const embeds = isCompatible || ['ipv4Mapped', 'rfc6145', 'rfc6052'].includes(range)
  return embeds ? [address, new ipaddr.IPv4(bytes.slice(12))] : [address]
}

/** Resolves a name for a connection, which then goes to these addresses and no others. */
export const allowedLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, address, family) => {
    if (error) return callback(error, address, family)
    try {
      for (const found of [address].flat())
        assertAllowed(typeof found === 'string' ? found : found.address)
    } catch (forbidden) {
      return callback(forbidden as Error, '', family)
    }
    callback(null, address, family)
  })

/** A socket that connects to all addresses but those. */
export class SourceSocket extends Socket {
  // The client of Postgres calls it with a port and a host, or with a path.
  override connect(to: unknown, host?: unknown): this {
    if (typeof to !== 'number' || typeof host !== 'string') return super.connect(to as string)
    try {
      assertAllowed(host)
    } catch (error) {
      return this.destroy(error as Error)
    }
    return super.connect({ port: to, host, lookup: allowedLookup })
  }
}
