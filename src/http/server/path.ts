/** Paths for operators alone. Rules of proxies hide them by their exact spelling, so they have no other one. */
const OPERATED: ReadonlySet<string> = new Set(['/metrics', '/livez', '/readyz'])

const spelledPath = (url: string) => url.split('?', 1)[0] ?? ''

/** The path of a URL as the router compares it: decoded, in lower case, without slashes at its end. */
export function routedPath(url: string): string {
  const path = spelledPath(url)
  return decoded(path).toLowerCase().replace(/\/+$/, '') || '/'
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** True if a route must not answer a URL: it is for operators, and the URL spells its path in another way. */
export const isMisspelled = (route: string | undefined, url: string): boolean =>
  route !== undefined && OPERATED.has(route) && spelledPath(url) !== route

/** True if a URL is a probe of the operator, which is answered in every state. */
export const isProbe = (url: string): boolean => OPERATED.has(spelledPath(url)) || routedPath(url) === '/health'

/** True if a URL leads to the graph. */
export const isGraphPath = (url: string): boolean => routedPath(url) === '/graphql'
