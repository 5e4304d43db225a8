import { nearest } from '../../nearest.ts'
import { withoutSecrets } from '../../secrets.ts'

/** A problem of a field or of the whole line. */
export interface Problem {
  field?: string
  reason: string
}

/** Formats a value for a message: shortened, and without control characters. */
export function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return 'one too large for a double'
  const json = withoutSecrets(JSON.stringify(value))
  return json.length > 90 ? `${json.slice(0, 80)}… (${json.length} characters)` : json
}

export const shownName = (field: string) =>
  /^\w{1,40}$/.test(field) ? withoutSecrets(field) : described(field)

/** Suggests a known field for an unknown one. */
export function nearestName(field: string, names: string[]): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const same = names.find((name) => plain(name) === plain(field))
  if (same) return `it is spelt ${same}`
  const meant = nearest(field, names)
  return meant ? `did you mean ${meant}?` : `the fields are ${names.join(', ')}`
}
