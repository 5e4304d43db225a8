import { isoDay } from '../dates.ts'
import { type Dialect, dialectOf, type Reader } from '../reader.ts'
import * as Prisma from '../sql-tag.ts'
import type { Column, Columns, RowOf } from './column.ts'
import { type Conditions, columnFilters, type KeySet } from './filter.ts'
import { columnSortKeys, type SortKeys } from './sort-key.ts'
import { VALUE_TYPES, type ValueType } from './value-type.ts'

export type Direction = 'ASC' | 'DESC'

/** A column that a list is ordered by. `field` is the row's property. */
export interface OrderColumn {
  column: string
  field: string
  type: ValueType
  direction: Direction
}

/** Describes how one kind of row is listed. The order is total: its last column breaks all ties. */
export interface Listing<Row> {
  name: string
  /** The FROM clause without its keyword. The rows' table has the alias `t`. */
  from: Prisma.Sql
  columns: Columns<Row>
  order: OrderColumn[]
  filters: Conditions
  sortKeys: SortKeys
}

interface ListingOptions<Own> {
  name: string
  from: Prisma.Sql
  columns: Own
  order: { [Name in keyof Own]?: Direction }
  /** Filters and sort keys in addition to those of the columns. */
  filters?: Conditions
  sortKeys?: SortKeys
}

export function listing<Own extends Record<string, Column>>(
  options: ListingOptions<Own>,
): Listing<RowOf<Own>> {
  const { columns, order, filters, sortKeys } = options
  return {
    ...options,
    columns,
    order: Object.entries(order).map(([field, direction]) => ({
      ...orderOf(columns, field),
      field,
      direction: direction as Direction,
    })),
    filters: { ...filters, ...columnFilters(columns) },
    sortKeys: { ...sortKeys, ...columnSortKeys(columns) },
  }
}

function orderOf(columns: Columns, field: string): { column: string; type: ValueType } {
  const { sql, order = sql, type } = columns[field] ?? {}
  if (order === undefined || type === undefined) throw new Error(`no column ${field} to order by`)
  return { column: order, type }
}

/**
 * The owners whose rows are listed. A row belongs to the owner whose values its `columns` equal. If
 * a column is named twice, it equals one of the values.
 */
export interface Owners {
  columns: { column: string; type: KeyType }[]
  values: (string | null)[][]
}

/**
 * A page of at most `limit` rows after and before its cursors, if any, and from the end if
 * `backward`.
 */
export interface Page {
  limit: number
  backward: boolean
  after?: (string | Prisma.Sql)[]
  before?: string[]
  offset: bigint
  /** Reads no extra row, because the client did not select whether more rows follow. */
  exact?: boolean
}

export interface Filter {
  where: Prisma.Sql[]
  /** Alternatives, one of which holds for each row. An index serves each of them. */
  branches?: Prisma.Sql[]
  set?: KeySet | undefined
}

// Reads the rows of a set like those of any condition.
const withoutSet = ({ set, ...filter }: Filter): Filter =>
  set ? { ...filter, where: [...filter.where, set.matches] } : filter

/** A filter as a store reads it. The page of a set has a lateral subquery for each key. */
export const filterIn = (filter: Filter, dialect: Dialect): Filter =>
  dialect.withoutLateral ? withoutSet(filter) : filter

const selectLists = new WeakMap<object, Prisma.Sql>()

/**
 * Returns columns as a select list, each named after its field. Amounts are text: as numbers they
 * would be rounded.
 */
export function selectList(columns: Columns): Prisma.Sql {
  const known = selectLists.get(columns)
  if (known) return known
  const list = Prisma.raw(
    Object.entries(columns)
      .map(
        ([field, { sql, type }]) => `${type === 'amount' ? `(${sql})::text` : sql} AS "${field}"`,
      )
      .join(', '),
  )
  selectLists.set(columns, list)
  return list
}

/**
 * Selects rows with all of their columns: derived ones from the others.
 * @param rows the statement that selects a list of columns
 */
function selectRows(columns: Columns, rows: (list: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const [derived, read] = [true, false].map((wanted) =>
    Object.entries(columns).filter(([, column]) => (column.derived !== undefined) === wanted),
  ) as [[string, Column][], [string, Column][]]
  if (derived.length === 0) return rows(selectList(columns))
  const list = derived.map(([name, column]) => {
    const sql = column.derived?.((field) => `p."${field}"`)
    return `${sql} AS "${name}"`
  })
  const all = rows(selectList(Object.fromEntries(read)))
  return Prisma.sql`SELECT p.*, ${Prisma.raw(list.join(', '))} FROM (${all}) p`
}

const everything: Owners = { columns: [], values: [[]] }

/**
 * Reads one page for every owner, in one statement. Keyset paging with an index on the owner's
 * columns followed by the order's reads only the page, however deep it is. Rows skipped by `offset`
 * are still read and dropped.
 * @returns the pages in the order of the owners, each with up to `limit` + 1 rows (an extra row
 * means that more follow)
 */
export async function listPages<Row>(
  reader: Reader,
  listing: Listing<Row>,
  filter: Filter,
  page: Page,
  owners: Owners = everything,
): Promise<Row[][]> {
  const dialect = dialectOf(reader)
  const pageOf = (values: Prisma.Sql[]) => {
    const ofValues = ofOwner(filterIn(filter, dialect), owners.columns, values)
    return selectRows(listing.columns, (list) => pageSql(listing, list, ofValues, page))
  }
  const alone = aloneIn(dialect, owners)
  if (alone) {
    const rows = await reader.$queryRaw<Row[]>(pageOf(alone))
    return [page.backward ? rows.reverse() : rows]
  }
  const types = owners.columns.map(({ type }) => type)
  const together = Prisma.sql`
    SELECT owner.number::int AS owner_number, page.* FROM ${ownersSql(types, owners.values)}
    CROSS JOIN LATERAL (${pageOf(valuesOf(owners))}) page
    ORDER BY owner_number, ${outerOrder(listing, page)}`
  if (!(await dialect.answers(reader, together)))
    return eachAlone(owners, (owner) => listPages(reader, listing, filter, page, owner))
  const rows = await reader.$queryRaw<(Row & { owner_number: number })[]>(together)
  const pages: Row[][] = owners.values.map(() => [])
  for (const row of rows) pages[row.owner_number - 1]?.push(row)
  if (page.backward) for (const one of pages) one.reverse()
  return pages
}

/**
 * Filters the rows of an owner, given the SQL of its values. Each alternative of a column is read
 * in the order of an index.
 */
export function ofOwner(filter: Filter, columns: Owners['columns'], values: Prisma.Sql[]): Filter {
  if (values.length === 0) return filter
  const where: Prisma.Sql[] = []
  let { branches } = filter
  for (const name of new Set(columns.map(({ column }) => column))) {
    const column = Prisma.raw(name)
    const equals = columns.flatMap((one, i) =>
      one.column === name ? [Prisma.sql`${column} = ${values[i]}`] : [],
    )
    const [first, ...others] = equals as [Prisma.Sql, ...Prisma.Sql[]]
    where.push(others.length === 0 ? first : Prisma.sql`(${Prisma.join(equals, ' OR ')})`)
    if (others.length === 0) continue
    const each = [first, ...others.map((one) => Prisma.sql`${one} AND NOT ${first}`)]
    branches = (branches ?? [Prisma.sql`TRUE`]).flatMap((branch) =>
      each.map((one) => Prisma.sql`${branch} AND ${one}`),
    )
  }
  return { ...filter, where: [...where, ...filter.where], ...(branches && { branches }) }
}

const valuesOf = ({ columns }: Owners) => columns.map((_, i) => Prisma.raw(`owner.k${i}`))

// The values of the owner of a list without owners, or with one if the store reads its rows so.
function aloneIn({ withoutLateral }: Dialect, { columns, values }: Owners) {
  if (columns.length === 0) return []
  if (values.length > 1 || !withoutLateral) return undefined
  const [only = []] = values
  return columns.map(({ type }, i) => Prisma.sql`${only[i]}::${Prisma.raw(type)}`)
}

const eachAlone = async <Part>(
  { columns, values }: Owners,
  read: (owner: Owners) => Promise<Part[]>,
) =>
  (await Promise.all(values.map((value) => read({ columns, values: [value] })))).flat(1) as Part[]

const flip = (direction: Direction, { backward }: Page): Direction =>
  (direction === 'ASC') === backward ? 'DESC' : 'ASC'

type Ordered = Pick<Listing<unknown>, 'from' | 'order'>

const outerOrder = ({ order }: Ordered, page: Page) =>
  Prisma.raw(order.map((o) => `"${o.field}" ${flip(o.direction, page)}`).join(', '))

// Page sizes that are written into the statement instead of being parameters, so that Postgres
// makes its generic plan for that many rows. They are few because every connection prepares each
// statement separately.
const USUAL = new Set([1, 2, 3, 5, 10, 20, 25, 50, 100, 200, 500, 1000])

/**
 * Builds the statement of one page: up to `limit` + 1 rows (`limit` if `exact`) in the order of the
 * list, reversed for a backward page.
 * @param columns a select list with at least the fields of the listing's order
 */
export function pageSql(
  listing: Ordered,
  columns: Prisma.Sql,
  filter: Filter,
  page: Page,
): Prisma.Sql {
  if (filter.set) return setPageSql(listing, columns, filter, filter.set, page)
  const orderBy = Prisma.raw(
    listing.order.map((o) => `${o.column} ${flip(o.direction, page)}`).join(', '),
  )
  const { limit, offset } = boundsOf(page)
  const starts = keysetConditions(listing.order, page.after, '>')
  const ends = keysetConditions(listing.order, page.before, '<')
  const selects: Prisma.Sql[] = []
  for (const branch of filter.branches ?? [Prisma.empty])
    for (const start of starts)
      for (const end of ends) {
        const where = [...filter.where, branch, start, end].filter((sql) => sql !== Prisma.empty)
        selects.push(Prisma.sql`SELECT ${columns} FROM ${listing.from}
          ${where.length ? Prisma.sql`WHERE ${Prisma.join(where, ' AND ')}` : Prisma.empty}
          ORDER BY ${orderBy}`)
      }
  const [only] = selects
  if (selects.length === 1 && only) return Prisma.sql`${only} ${limit} ${offset}`
  const deep = page.offset > 0n ? Prisma.empty : limit
  return Prisma.sql`SELECT * FROM (${Prisma.join(
    selects.map((part) => Prisma.sql`(${part} ${deep})`),
    ' UNION ALL ',
  )}) t
    ORDER BY ${outerOrder(listing, page)} ${limit} ${offset}`
}

// No list has more rows. A store may add LIMIT to OFFSET, and the sum must be a bigint.
const MOST_ROWS = 2n ** 62n

function boundsOf({ limit, offset, exact }: Page): { limit: Prisma.Sql; offset: Prisma.Sql } {
  const rows = exact ? limit : limit + 1
  const skipped = String(offset < MOST_ROWS ? offset : MOST_ROWS)
  return {
    limit: USUAL.has(limit) ? Prisma.raw(`LIMIT ${rows}`) : Prisma.sql`LIMIT ${rows}`,
    offset: offset > 0n ? Prisma.sql`OFFSET ${skipped}::bigint` : Prisma.empty,
  }
}

// Builds the statement of a page of a set: the first rows of each key by an index alone, of these
// the page's, and their columns.
function setPageSql(
  listing: Ordered,
  columns: Prisma.Sql,
  { set: _, ...filter }: Filter,
  { column, from, keys, partial, matches }: KeySet,
  page: Page,
): Prisma.Sql {
  const order = Prisma.raw(listing.order.map((o) => `${o.column} AS "${o.field}"`).join(', '))
  const first = {
    ...page,
    limit: Math.min(page.limit + Number(page.offset), 2 ** 31 - 2),
    offset: 0n,
  }
  const ofKey = (...conditions: Prisma.Sql[]) =>
    pageSql(
      { from, order: listing.order },
      order,
      { ...filter, where: [...filter.where, Prisma.raw(`${column} = keys.key`), ...conditions] },
      first,
    )
  const { limit, offset } = boundsOf(page)
  const same = Prisma.raw(listing.order.map((o) => `${o.column} = page."${o.field}"`).join(' AND '))
  const inPage = Prisma.raw(
    listing.order.map((o) => `page."${o.field}" ${flip(o.direction, page)}`).join(', '),
  )
  const rowsOfKey = partial
    ? Prisma.sql`(${ofKey(Prisma.raw('keys.whole'))})
      UNION ALL (${ofKey(Prisma.raw('NOT keys.whole'), matches)})`
    : ofKey()
  return Prisma.sql`SELECT ${columns} FROM (
      SELECT first.* FROM (${keys}) keys CROSS JOIN LATERAL (${rowsOfKey}) first
      ORDER BY ${outerOrder(listing, page)} ${limit} ${offset}) page
    JOIN ${listing.from} ON ${same}
    ORDER BY ${inPage}`
}

/** The types of the values that rows are looked up by. */
export type KeyType = 'text' | 'int' | 'bigint' | 'date' | 'timestamptz' | 'float8' | 'boolean'

/**
 * Reads the rows of many keys in one statement. The result is in the order of the keys.
 * @param of builds the ordered SELECT for the rows of one key, given the SQL of its values
 */
export async function rowsByKey<Row>(
  reader: Reader,
  types: readonly KeyType[],
  keys: readonly (string | null)[][],
  of: (key: Prisma.Sql[]) => Prisma.Sql,
): Promise<Row[][]> {
  const dialect = dialectOf(reader)
  const [only = []] = keys
  if (keys.length === 1 && dialect.withoutLateral)
    return [
      await reader.$queryRaw<Row[]>(
        of(types.map((type, i) => Prisma.sql`${only[i]}::${Prisma.raw(type)}`)),
      ),
    ]
  const names = types.map((_, i) => Prisma.raw(`owner.k${i}`))
  const together = Prisma.sql`
    SELECT owner.number::int AS owner_number, found.* FROM ${ownersSql(types, keys)}
    CROSS JOIN LATERAL (
      SELECT row_number() OVER () AS row_number, one.* FROM (${of(names)}) one) found
    ORDER BY owner_number, found.row_number`
  if (!(await dialect.answers(reader, together)))
    return (await Promise.all(keys.map((key) => rowsByKey<Row>(reader, types, [key], of)))).flat(1)
  const rows = await reader.$queryRaw<(Row & { owner_number: number })[]>(together)
  const found: Row[][] = keys.map(() => [])
  for (const row of rows) found[row.owner_number - 1]?.push(row)
  return found
}

/** Reads rows of a listing by id, in the order of the ids. Null for an unknown id. */
export async function rowsById<Row extends { id: string | bigint }>(
  reader: Reader,
  { columns, from }: Listing<Row>,
  ids: readonly Row['id'][],
  type: KeyType,
): Promise<(Row | null)[]> {
  const named = Prisma.sql`${ids.map(String)}::${Prisma.raw(type)}[]`
  const rows = await reader.$queryRaw<Row[]>(
    selectRows(
      columns,
      (list) => Prisma.sql`SELECT ${list} FROM ${from} WHERE t.id = ANY(${named}) OFFSET 0`,
    ),
  )
  return rowOfEach(ids, rows, ({ id }) => id)
}

/** Returns the row of each key, in the order of the keys. Null for a key without a row. */
export function rowOfEach<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | null)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => byKey.get(key) ?? null)
}

/**
 * Builds a FROM item `owner` with one row per key: columns k0, k1, ... and the ordinal `number`,
 * from 1. The planner knows the values of a single key, by which it may find the table's partition.
 */
export function ownersSql(
  types: readonly KeyType[],
  keys: readonly (string | null)[][],
): Prisma.Sql {
  // Subselects hide the number of keys from the planner, so that Postgres uses the generic plan for
  // all.
  if (types.length === 0)
    return Prisma.sql`generate_series(1, (SELECT ${keys.length}::int)) AS owner(number)`
  const [only] = keys
  if (only && keys.length === 1) {
    const values = types.map(
      (type, i) => Prisma.sql`${only[i] ?? null}::${Prisma.raw(type)} AS ${Prisma.raw(`k${i}`)}`,
    )
    return Prisma.sql`(SELECT ${Prisma.join(values)}, 1 AS number) owner`
  }
  const columns = types.map(
    (type, i) => Prisma.sql`(SELECT ${keys.map((key) => key[i] ?? null)}::${Prisma.raw(type)}[])`,
  )
  const names = Prisma.raw(types.map((_, i) => `k${i}`).join(', '))
  return Prisma.sql`unnest(${Prisma.join(columns)}) WITH ORDINALITY AS owner(${names}, number)`
}

/** Counts the rows that match the filter for every owner, in one statement. */
export async function countRows<Row>(
  reader: Reader,
  listing: Listing<Row>,
  filter: Filter,
  owners: Owners = everything,
): Promise<number[]> {
  const dialect = dialectOf(reader)
  const alone = aloneIn(dialect, owners)
  if (alone) {
    const [row] = await reader.$queryRaw<[{ total: bigint }]>(
      countSql(listing, ofOwner(filter, owners.columns, alone)),
    )
    return [Number(row.total)]
  }
  const types = owners.columns.map(({ type }) => type)
  const counted = countSql(listing, ofOwner(filter, owners.columns, valuesOf(owners)))
  const together = Prisma.sql`
    SELECT counted.total FROM ${ownersSql(types, owners.values)}
    CROSS JOIN LATERAL (${counted}) counted ORDER BY owner.number`
  if (!(await dialect.answers(reader, together)))
    return eachAlone(owners, (owner) => countRows(reader, listing, filter, owner))
  const rows = await reader.$queryRaw<{ total: bigint }[]>(together)
  return rows.map((row) => Number(row.total))
}

export function countSql<Row>(listing: Listing<Row>, filter: Filter): Prisma.Sql {
  const { where } = withoutSet(filter)
  const condition = where.length ? Prisma.sql`WHERE ${Prisma.join(where, ' AND ')}` : Prisma.empty
  return Prisma.sql`SELECT count(*) AS total FROM ${listing.from} ${condition}`
}

export function cursorValues<Row>(listing: Listing<Row>, row: Row): string[] {
  return listing.order.map(({ field, type }) => {
    const value = row[field as keyof Row]
    return type === 'date' ? isoDay(value as Date) : String(value)
  })
}

// Builds the conditions for the rows past a cursor, as alternatives that an index can each read in
// order. A row comparison needs columns of one direction, so there is one alternative for each run
// of columns with one direction.
function keysetConditions(
  order: OrderColumn[],
  values: Page['after'],
  past: '>' | '<',
): Prisma.Sql[] {
  if (!values) return [Prisma.empty]
  const runs: { columns: string[]; values: Prisma.Sql[]; direction: Direction }[] = []
  order.forEach((o, i) => {
    // The subselect hides the value from the planner, so that Postgres uses the generic plan for
    // every page.
    const value = Prisma.sql`(SELECT ${values[i]}::${Prisma.raw(VALUE_TYPES[o.type].sql)})`
    const run = runs.at(-1)
    if (run?.direction === o.direction) {
      run.columns.push(o.column)
      run.values.push(value)
    } else runs.push({ columns: [o.column], values: [value], direction: o.direction })
  })
  return runs.map((run, i) => {
    const sign = (run.direction === 'ASC') === (past === '>') ? '>' : '<'
    const row = ({ columns, values }: typeof run, comparison: string) => {
      const names = Prisma.raw(columns.join(', '))
      return Prisma.sql`(${names}) ${Prisma.raw(comparison)} (${Prisma.join(values)})`
    }
    return Prisma.join([...runs.slice(0, i).map((r) => row(r, '=')), row(run, sign)], ' AND ')
  })
}
