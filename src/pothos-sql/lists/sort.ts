import { badArgument } from '../errors.ts'
import type { Columns } from './column.ts'
import type { Direction, Listing, OrderColumn } from './listing.ts'
import type { SortKey, SortKeys } from './sort-key.ts'
import { typeOfValue } from './value-type.ts'

export interface SortBy {
  field: string
  direction: Direction
}

interface SortArguments {
  orderBy?: readonly string[] | null
  orderDirection?: readonly Direction[] | null
}

/**
 * Returns the sort keys of the arguments `orderBy` and `orderDirection`, which has one direction
 * for all or one for each.
 * @throws BAD_INPUT
 */
export function sortBy(args: SortArguments): SortBy[] {
  const keys = args.orderBy ?? []
  const directions = args.orderDirection ?? []
  if (directions.length > 1 && directions.length !== keys.length)
    throw badArgument(
      'orderDirection',
      `has ${directions.length} values for ${keys.length} sort keys: ` +
        'give one for all, or one for each',
    )
  // The default value comes without keys too.
  if (keys.length === 0 && directions.some((one) => one !== 'ASC'))
    throw badArgument('orderDirection', 'needs orderBy: name the sort keys')
  return keys.map((field, i) => ({
    field,
    direction: directions[directions.length > 1 ? i : 0] ?? 'ASC',
  }))
}

/**
 * Returns a listing in another order, in which the default order breaks ties. If the first key is
 * the first column of the default order in the other direction, ties are reversed too: flipping the
 * direction then reverses the whole list.
 * @throws BAD_INPUT if a key occurs twice
 */
export function sorted<Row>(listing: Listing<Row>, by: readonly SortBy[]): Listing<Row> {
  const { sortKeys: keys } = listing
  const columns: Columns = { ...listing.columns }
  const order: OrderColumn[] = []
  const seen = assertOnce(keys, by)
  for (const { field: name, direction: requested } of by) {
    const key = keys[name] as SortKey
    const direction = key.inverse ? opposite(requested) : requested
    const column = key.nullable ? nullsLast(key, direction) : key.column
    const field = key.nullable ? `${key.field}Sort` : key.field
    columns[field] ??= { sql: column, type: key.type }
    order.push({ column, field, type: key.type, direction })
  }
  const [natural, first] = [listing.order[0], order[0]]
  const reversed =
    natural && first && natural.field === first.field && natural.direction !== first.direction
  for (const one of listing.order)
    if (!seen.has(one.field))
      order.push(reversed ? { ...one, direction: opposite(one.direction) } : one)
  return { ...listing, columns: columns as Listing<Row>['columns'], order }
}

/**
 * Returns the fields of an order.
 * @throws BAD_INPUT if a field occurs twice
 */
export function assertOnce(keys: SortKeys, by: readonly SortBy[]): Set<string> {
  const seen = new Set<string>()
  for (const { field: name } of by) {
    const key = keys[name]
    if (!key) throw new Error(`no order ${name}`)
    if (seen.has(key.field)) throw twice(name)
    seen.add(key.field)
  }
  return seen
}

/**
 * Returns whether an order is the listing's default order or its reverse, which its index serves.
 */
export function isOwnOrder<Row>({ order }: Listing<Row>, other: Listing<Row>): boolean {
  const same = (flipped: boolean) =>
    order.length === other.order.length &&
    order.every((one, i) => {
      const it = other.order[i]
      return it?.field === one.field && (it.direction !== one.direction) === flipped
    })
  return same(false) || same(true)
}

const opposite = (direction: Direction) => (direction === 'ASC' ? 'DESC' : 'ASC')

function nullsLast({ column, type }: SortKey, direction: Direction): string {
  const { ends } = typeOfValue(type)
  if (!ends) throw new Error(`null has no order among values of ${type}`)
  const [after, before] = ends
  return `coalesce(${column}, ${direction === 'ASC' ? after : before})`
}

const twice = (name: string) =>
  badArgument('orderBy', `has ${name} twice, or what is the same: name each field once`)
