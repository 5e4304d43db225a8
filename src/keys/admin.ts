import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { type Admin, requireAdmin } from '../graphql/context.ts'

type AdminTokens = ReadonlyMap<string, string>

/** The admin tokens of the settings, by name. */
export const adminTokens = ({
  ADMIN_TOKEN,
  ADMIN_TOKENS,
}: Pick<Config, 'ADMIN_TOKEN' | 'ADMIN_TOKENS'>): AdminTokens =>
  new Map([
    ...(ADMIN_TOKEN === undefined ? [] : [['admin', ADMIN_TOKEN] as const]),
    ...(ADMIN_TOKENS ?? []),
  ])

/** Identifies the admin of a request. Comparison takes constant time. */
export function adminOf({ authorization }: IncomingHttpHeaders, tokens: AdminTokens): Admin {
  if (tokens.size === 0) return 'closed'
  const [, sent] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  const digest = (text: string) => createHash('sha256').update(text).digest()
  let admin: Admin = 'no'
  for (const [name, token] of tokens)
    if (sent !== undefined && timingSafeEqual(digest(sent), digest(token))) admin = { name }
  return admin
}

/**
 * Makes a function that names the admin of a request to a path for admins alone.
 * @returns a function that throws UNAUTHENTICATED, or FORBIDDEN if the server has no admin
 */
export function adminCheck(config: Parameters<typeof adminTokens>[0]) {
  const tokens = adminTokens(config)
  return (headers: IncomingHttpHeaders): string => requireAdmin(adminOf(headers, tokens))
}
