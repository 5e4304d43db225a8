// For operators alone. Rules of proxies hide these spellings, so there are no others.
const OPERATED: ReadonlySet<string> = new Set(['/metrics', '/livez', '/readyz'])

function spelledPath(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/**
 * Removes the prefix of BASE_PATH from a URL. A proxy may have stripped it already. Paths for
 * operators are not below it, so a proxy that serves the prefix alone hides them.
 */
export function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  const isBelow = rest.startsWith('/') && !OPERATED.has(spelledPath(rest))
  return isBelow ? rest : url
}

/**
 * The path of a URL as the router compares it: decoded, in lower case, without slashes at its end.
 */
export function routedPath(url: string): string {
  const path = decoded(spelledPath(url)).toLowerCase()
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end) || '/'
}

function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * True if a route must not answer a URL: it is for operators, and the URL spells its path in
 * another way.
 */
export const isMisspelled = (route: string | undefined, url: string): boolean =>
  route !== undefined && OPERATED.has(route) && spelledPath(url) !== route

/** True if a URL is a probe of the operator, which is answered in every state. */
export const isProbe = (url: string): boolean =>
  OPERATED.has(spelledPath(url)) || routedPath(url) === '/health'

/** True if a URL leads to the graph. */
export const isGraphPath = (url: string): boolean => routedPath(url) === '/graphql'
