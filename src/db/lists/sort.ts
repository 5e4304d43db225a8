import { GatewayError } from '../../errors.ts'
import type { Listing, OrderColumn } from './listing.ts'

/** One thing that rows can be sorted by. */
export interface SortKey {
  /** SQL over `t`. */
  column: string
  /** Its name in a row; one that the row has not got is read under this name for the cursors. */
  field: string
  type: OrderColumn<unknown>['type']
  /** Null comes last in both directions. */
  nullable?: boolean
  /** The column rises where the key falls. */
  inverse?: boolean
  description: string
}

export type SortKeys = Record<string, SortKey>

/** A key of an order, as a request has it. */
export interface SortBy {
  field: string
  direction: 'ASC' | 'DESC'
}

/**
 * A listing in another order. Its own order breaks ties: reversed where the first key is its own first one the other way
 * round, so that a list reversed is the list reversed.
 * @throws BAD_INPUT for a key that is named twice
 */
export function sorted<Row>(listing: Listing<Row>, keys: SortKeys, by: readonly SortBy[]): Listing<Row> {
  const columns: Record<string, string> = { ...listing.columns }
  const order: OrderColumn<Row>[] = []
  const seen = assertOnce(keys, by)
  for (const { field: name, direction: asked } of by) {
    const key = keys[name] as SortKey
    const direction = key.inverse ? opposite(asked) : asked
    const column = key.nullable ? nullsLast(key, direction) : key.column
    const field = key.nullable ? `${key.field}Place` : key.field
    columns[field] ??= column
    order.push({ column, field: field as OrderColumn<Row>['field'], type: key.type, direction })
  }
  const [own, first] = [listing.order[0], order[0]]
  const reversed = own && first && own.field === first.field && own.direction !== first.direction
  for (const one of listing.order)
    if (!seen.has(one.field)) order.push(reversed ? { ...one, direction: opposite(one.direction) } : one)
  return { ...listing, columns: columns as Listing<Row>['columns'], order }
}

/**
 * The fields that an order is made of.
 * @throws BAD_INPUT for one that is named twice
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

/** Whether an order is the listing's own, from either end: its index serves it. */
export function isOwnOrder<Row>({ order }: Listing<Row>, other: Listing<Row>): boolean {
  const same = (flipped: boolean) =>
    order.length === other.order.length &&
    order.every((one, i) => {
      const it = other.order[i]
      return it?.field === one.field && (it.direction !== one.direction) === flipped
    })
  return same(false) || same(true)
}

const opposite = (direction: 'ASC' | 'DESC') => (direction === 'ASC' ? 'DESC' : 'ASC')

function nullsLast({ column, type }: SortKey, direction: 'ASC' | 'DESC'): string {
  const [largest, smallest] = ENDS[type as keyof typeof ENDS]
  return `coalesce(${column}, ${direction === 'ASC' ? largest : smallest})`
}

/** What is after and before all values of a type. */
const ENDS = {
  'double precision': [`'Infinity'`, `'-Infinity'`],
  bigint: ['9223372036854775807', '-1'],
  date: [`'9999-12-31'`, `'0001-01-01'`],
}

function twice(name: string): GatewayError {
  const message = `has ${name} twice, or what is the same: name each field once`
  return new GatewayError('BAD_INPUT', `orderBy ${message}.`, [{ in: 'query', name: 'orderBy', message }])
}
