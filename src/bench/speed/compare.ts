/** True if two servers say the same: nothing is timed before they do. */

type Path = (string | number)[]

const NUMBER = /^-?\d{1,15}(\.\d+)?$/
const MOMENT = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|\+00:00)?)?$/

/** The time of the request itself. */
const ofRequest = (name: string | number | undefined, path: Path) =>
  name === 'timestamp' && path[0] === 'points'

const close = (a: number, b: number) =>
  Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

/**
 * Where two parsed answers first differ, doubles apart by at most 1e-9 of their size; undefined:
 * nowhere.
 */
export function difference(a: unknown, b: unknown, path: Path = []): string | undefined {
  const told = () => `${path.join('.') || 'the answer'}: ${excerpt(a)}, not ${excerpt(b)}`
  if (typeof a === 'number' && typeof b === 'number') return close(a, b) ? undefined : told()
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b)
    return a === b ? undefined : told()
  if (ofRequest('timestamp', path) && 'timestamp' in a && 'timestamp' in b) {
    const { timestamp: _, ...restOfA } = a
    const { timestamp: __, ...restOfB } = b
    return difference(restOfA, restOfB, [...path, 'timeless'])
  }
  const names = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return told()
  for (const name of names) {
    if (!(name in b)) return told()
    const differing = difference(
      (a as Record<string, unknown>)[name],
      (b as Record<string, unknown>)[name],
      [...path, name],
    )
    if (differing) return differing
  }
  return undefined
}

/**
 * The same for an answer of another form: the values that both have under the same name, at any
 * depth, in the order in which the answers have them. What is in a side or an asset (`assetA {
 * address }`) counts as `assetAAddress`. At least half of the names that the first has must be in
 * the second.
 */
export function differenceOfShared(a: unknown, b: unknown): string | undefined {
  const mine = columns(a)
  const theirs = columns(b)
  const shared = [...mine.keys()].filter((name) => theirs.has(name))
  if (shared.length < mine.size / 2)
    return `only ${shared.join(', ')} of ${[...mine.keys()].join(', ')} are there`
  for (const name of shared) {
    const differing = difference(mine.get(name), theirs.get(name), [name])
    if (differing) return differing
  }
  return undefined
}

function columns(answer: unknown): Map<string, unknown[]> {
  const flat = new Map<string, unknown[]>()
  const visit = (value: unknown, name: string, prefix: string, path: Path): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name, prefix, path)
    else if (value && typeof value === 'object')
      for (const [key, one] of Object.entries(value)) {
        if (key === 'pagination' || key === 'filters' || ofRequest(key, path)) continue
        const named = prefix + (prefix ? key.charAt(0).toUpperCase() + key.slice(1) : key)
        visit(one, named, /^(a|b|(asset|side)[AB])$/.test(key) ? key : '', [...path, key])
      }
    else if (value !== null) {
      const previous = flat.get(name)
      if (previous) previous.push(plain(value))
      else flat.set(name, [plain(value)])
    }
  }
  visit(answer, '', '', [])
  return flat
}

/**
 * A value whatever the API's types: digits as a number, moments as milliseconds, names of enums in
 * lower case.
 */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (NUMBER.test(value)) return Number(value)
  return MOMENT.test(value) ? Date.parse(value) : value.toLowerCase()
}

const excerpt = (value: unknown) => JSON.stringify(value)?.slice(0, 200)
