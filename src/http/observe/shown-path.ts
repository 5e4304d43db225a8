import { endpoints } from '../../rest/index.ts'

// The parameters that are logged with their values: others may be tokens.
const DOCUMENTED = new Set(endpoints.flatMap(([, , { query }]) => Object.keys(query?.shape ?? {})))

const BASE = 'http://gateway'

/** The path and the documented parameters of a request. `***` stands for each other parameter. */
export function shownPath(url = ''): string {
  const target = url.replace(/^\/+/, '/')
  if (!URL.canParse(target, BASE)) return '***'
  const { pathname, searchParams } = new URL(target, BASE)
  const shown = [...searchParams].map(([name, value]) =>
    DOCUMENTED.has(name) ? `${name}=${encodeURIComponent(value)}` : '***',
  )
  return shown.length === 0 ? pathname : `${pathname}?${shown.join('&')}`
}
