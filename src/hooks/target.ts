import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { GatewayError } from '../errors.ts'

const MAX_URL = 2000

/** The host of a hook leads to an address that hooks may not reach. */
export class ForbiddenTarget extends Error {}

/**
 * Reads the URL of a hook.
 * @param allowsPrivate allows plain HTTP and addresses of private networks
 * @throws BAD_INPUT
 */
export function readTarget(text: string, allowsPrivate: boolean): string {
  const refuse = (why: string) => new GatewayError('BAD_INPUT', `The URL of a hook ${why}.`)
  if (text.length > MAX_URL) throw refuse(`has at most ${MAX_URL} characters`)
  if (!URL.canParse(text)) throw refuse('looks like https://example.org/hook')
  const { protocol, username, password, hostname, href } = new URL(text)
  if (protocol !== 'https:' && !(protocol === 'http:' && allowsPrivate))
    throw refuse('begins with https:// (with http:// only if HOOKS_PRIVATE is true)')
  if (username !== '' || password !== '') throw refuse('has no user and no password')
  try {
    assertTarget(hostname, allowsPrivate)
  } catch (error) {
    throw refuse(`is not allowed: ${(error as Error).message}`)
  }
  return href
}

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** @throws ForbiddenTarget for an address that hooks may not reach; names pass */
function assertTarget(host: string, allowsPrivate: boolean): void {
  const text = host.replace(/^\[(.*)\]$/, '$1')
  if (!ipaddr.isValid(text)) return
  const address = ipaddr.parse(text)
  // Allowed or not, clouds serve credentials at link-local addresses.
  const isAllowed = allowsPrivate
    ? ipaddr.process(text).range() !== 'linkLocal'
    : address.range() === 'unicast' &&
      (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6))
  if (isAllowed) return
  const remedy = allowsPrivate ? '' : ' (HOOKS_PRIVATE=true allows private ones)'
  throw new ForbiddenTarget(`its host leads to ${text}, which is not a public address${remedy}`)
}

/**
 * Connects to allowed addresses only: a name's addresses are checked, and the connection goes to
 * them and no others.
 */
export function targetConnector(allowsPrivate: boolean, timeout: number): buildConnector.connector {
  const checked: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      if (error) return callback(error, address, family)
      try {
        for (const found of [address].flat())
          assertTarget(typeof found === 'string' ? found : found.address, allowsPrivate)
      } catch (forbidden) {
        return callback(forbidden as Error, '', family)
      }
      callback(null, address, family)
    })
  const connect = buildConnector({ timeout, lookup: checked })
  return (options, callback) => {
    try {
      assertTarget(options.hostname, allowsPrivate)
    } catch (error) {
      process.nextTick(callback, error as Error, null)
      return
    }
    connect(options, callback)
  }
}
