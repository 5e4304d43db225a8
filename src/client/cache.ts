/** How the caches of Apollo Client and urql store rows that have no `id`. */
import { embeddedLists, embeddedTypes } from '../generated/client/cache-types.ts'

interface Row {
  readonly [field: string]: unknown
}
// Apollo's own types leave open what is stored.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Stored = any
interface MergeOptions {
  args: Record<string, unknown> | null
  mergeObjects(existing: Stored, incoming: Stored): Stored
}
interface FieldPolicy {
  keyArgs?: (args: Record<string, unknown> | null) => string[]
  merge: (existing: Stored, incoming: Stored, options: MergeOptions) => Stored
}
export interface TypePolicy {
  merge?: true
  fields?: Record<string, FieldPolicy>
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// True if two values differ in nothing that both have.
function agree(before: unknown, now: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(now))
    return before.length === now.length && before.every((one, i) => agree(one, now[i]))
  if (!isRow(before) || !isRow(now)) return before === now
  return Object.keys(now).every((field) => !(field in before) || agree(before[field], now[field]))
}

// True if both are one row, read twice. Rows that have nothing in common may be two.
const isSame = (before: Row, now: Row): boolean =>
  agree(before, now) && Object.keys(now).some((field) => field !== '__typename' && field in before)

/** Merges the rows of a plain list, read with another selection. */
function mergeRows(
  existing: readonly (Row | null)[] | undefined,
  incoming: readonly (Row | null)[],
  { mergeObjects }: MergeOptions,
): readonly (Row | null)[] {
  if (existing?.length !== incoming.length) return incoming
  return incoming.map((now, i) => {
    const before = existing[i]
    return before && now && isSame(before, now) ? mergeObjects(before, now) : now
  })
}

const ROWS: FieldPolicy = { merge: mergeRows }
const lists = new Map(Object.entries(embeddedLists))

/** `typePolicies` of Apollo's `InMemoryCache`: parts of an object are merged, not replaced. */
export const typePolicies: Record<string, TypePolicy> = Object.fromEntries(
  [...new Set([...embeddedTypes, ...lists.keys()])].map((type) => [
    type,
    {
      ...(embeddedTypes.includes(type) && { merge: true as const }),
      ...(lists.has(type) && {
        fields: Object.fromEntries((lists.get(type) ?? []).map((field) => [field, ROWS])),
      }),
    },
  ]),
)

/** `keys` of urql's Graphcache: the types whose objects are parts of the object that has them. */
export const graphcacheKeys: Record<string, () => null> = Object.fromEntries(
  embeddedTypes.map((type) => [type, () => null]),
)

const PAGING = new Set(['first', 'after', 'last', 'before', 'offset'])

interface Page extends Row {
  readonly nodes?: readonly Row[]
  readonly edges?: readonly Row[]
}

// The rows before a page: those up to its first row, if it was read before.
function rowsBefore(
  rows: readonly Row[],
  page: readonly Row[],
  offset: number | undefined,
): readonly Row[] {
  if (offset !== undefined) return rows.slice(0, offset)
  const [first] = page
  const at = first ? rows.findIndex((row) => isSame(row, first)) : -1
  return at < 0 ? rows : rows.slice(0, at)
}

/**
 * Appends a page of `fetchMore` to those before it. A page without `after` and `offset` is the
 * first.
 */
function mergePages(
  existing: Page | undefined,
  incoming: Page,
  { args, mergeObjects }: MergeOptions,
): Page {
  const offset = Number(args?.offset ?? 0)
  if (!existing || (typeof args?.after !== 'string' && offset === 0)) return incoming
  const after = typeof args?.after === 'string' ? undefined : offset
  const together = (before: readonly Row[] = [], page: readonly Row[] = []) => [
    ...rowsBefore(before, page, after),
    ...page,
  ]
  return {
    ...mergeObjects(existing, incoming),
    ...(incoming.nodes && { nodes: together(existing.nodes, incoming.nodes) }),
    ...(incoming.edges && { edges: together(existing.edges, incoming.edges) }),
  }
}

const PAGES: FieldPolicy = {
  keyArgs: (args) => Object.keys(args ?? {}).filter((name) => !PAGING.has(name)),
  merge: mergePages,
}

/**
 * The `typePolicies` with lists whose pages `fetchMore` appends, such as `{ User: ['activity'] }`.
 * Components that show such a list share its rows, however many each asks for.
 */
export function withPages(
  connections: Readonly<Record<string, readonly string[]>>,
): Record<string, TypePolicy> {
  const policies = { ...typePolicies }
  for (const [type, fields] of Object.entries(connections)) {
    const own = policies[type]
    const paged = Object.fromEntries(fields.map((field) => [field, PAGES]))
    policies[type] = { ...own, fields: { ...own?.fields, ...paged } }
  }
  return policies
}
