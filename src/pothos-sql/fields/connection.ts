import { badArgument, SqlError } from '../errors.ts'
import { cursorValues, type Listing, type Page } from '../lists/listing.ts'
import { typeOfValue, type ValueType } from '../lists/value-type.ts'

export interface PageArguments {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
  offset?: bigint | null
}

export const DEFAULT_PAGE = 100
export const MAX_PAGE = 1000
export const MAX_OFFSET = 2n ** 63n - 1n

/** Makes a Relay connection of a page's rows. One extra row shows that more follow. */
export function connectionOf<Row>(
  listing: Listing<Row>,
  page: Page,
  rows: Row[],
  totalCount: () => Promise<number> | number,
) {
  const { more, rows: pageRows } = cutToPage(rows, page)
  const edges = pageRows.map((node) => ({
    node,
    get cursor() {
      return encodeCursor(listing.name, cursorValues(listing, node))
    },
  }))
  return {
    edges,
    totalCount,
    pageInfo: {
      hasNextPage: pageFlag(page, 'hasNextPage', more),
      hasPreviousPage: pageFlag(page, 'hasPreviousPage', more),
      get startCursor() {
        return edges[0]?.cursor ?? null
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null
      },
    },
  }
}

/**
 * Cuts rows to their page. `more` says whether there was an extra row: more follow or, if the page
 * is backward, precede.
 */
export function cutToPage<Row>(
  rows: Row[],
  { limit, backward }: Page,
): { rows: Row[]; more: boolean } {
  if (rows.length <= limit) return { rows, more: false }
  return { rows: backward ? rows.slice(1) : rows.slice(0, limit), more: true }
}

/**
 * Returns a flag of `pageInfo`: `more` or, in the direction from which the page comes, one that
 * follows from its arguments. A page of 0 rows has no cursor to go on from, so it has neither a
 * next page nor a previous one.
 */
export function pageFlag<More>(
  page: Page,
  of: 'hasNextPage' | 'hasPreviousPage',
  more: More,
): More | boolean {
  if (page.limit === 0) return false
  if (of === 'hasNextPage') return page.backward ? page.before !== undefined : more
  return page.backward ? more : page.after !== undefined || page.offset > 0n
}

interface CursorOrder {
  name: string
  order: { type: ValueType }[]
}

/** Reads the paging arguments of a list. @throws BAD_INPUT */
export function readPage(
  listing: CursorOrder,
  args: PageArguments,
): Page & { after?: string[]; before?: string[] } {
  const { first, last } = args
  for (const [name, size] of [
    ['first', first],
    ['last', last],
  ] as const)
    if (typeof size === 'number' && (size < 0 || size > MAX_PAGE))
      throw badArgument(name, `must be from 0 to ${MAX_PAGE}`)
  const backward = typeof last === 'number'
  // The default value of `first` comes with `last` too.
  if (backward && (first ?? DEFAULT_PAGE) !== DEFAULT_PAGE)
    throw badArgument('last', 'cannot be given together with first')
  const offset = args.offset ?? 0n
  if (offset > MAX_OFFSET) throw badArgument('offset', 'must be at most 2^63-1')
  if (backward && offset > 0n) throw badArgument('offset', 'cannot be given together with last')
  const values = (cursor: string | null | undefined) =>
    typeof cursor === 'string' ? decodeCursor(listing, cursor) : undefined
  return {
    limit: last ?? first ?? DEFAULT_PAGE,
    backward,
    after: values(args.after),
    before: values(args.before),
    offset,
  }
}

export const encodeCursor = (name: string, values: string[]) =>
  Buffer.from(JSON.stringify([name, ...values])).toString('base64url')

/** Reads a cursor: the name of its list, and its values. Undefined if it cannot be read. */
export function readCursor(cursor: string): { name: string; values: string[] } | undefined {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(decoded) || !decoded.every((one) => typeof one === 'string'))
      return undefined
    const [name, ...values] = decoded
    return name === undefined ? undefined : { name, values }
  } catch {
    return undefined
  }
}

function decodeCursor({ name, order }: CursorOrder, cursor: string): string[] {
  const decoded = readCursor(cursor)
  if (!decoded) throw badCursor()
  if (decoded.name !== name)
    throw kindOf(decoded.name) === kindOf(name) ? otherCursor() : badCursor()
  const { values } = decoded
  if (
    values.length !== order.length ||
    !order.every(({ type }, i) => typeOfValue(type).accepts?.(values[i] as string))
  )
    throw badCursor()
  return values
}

const badCursor = () =>
  new SqlError(
    'BAD_INPUT',
    'The cursor does not belong to this list. ' +
      'Use one that this list returned, with the same order.',
    [{ in: 'query', name: 'cursor', message: 'is not a cursor of this list' }],
  )

const otherCursor = () =>
  new SqlError(
    'BAD_INPUT',
    'The cursor belongs to a list with another filter or order. Start again from the first page, ' +
      'or send the filter and order that it was returned with.',
    [{ in: 'query', name: 'cursor', message: 'belongs to a list with another filter or order' }],
  )

// The name of a list, without the suffix that binds its cursors to a filter and an order.
const kindOf = (name: string) => name.split('#')[0]
