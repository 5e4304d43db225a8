import type { Config } from '../config.ts'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/**
 * True if a request may come from a page of an origin: one of this machine, or one that the operator
 * lists. MCP asks servers to refuse others, which may have been given the name of this server. Only
 * browsers send an origin.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  { MCP_HOSTS: hosts }: Pick<Config, 'MCP_HOSTS'>,
): boolean {
  if (origin === undefined) return true
  const [, host] = /^https?:\/\/(.+)$/.exec(origin.toLowerCase()) ?? []
  return host !== undefined && (LOOPBACK.test(host) || hosts.includes(host))
}
