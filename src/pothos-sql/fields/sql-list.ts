import type { Batch, SqlContext } from '../batches.ts'
import type { ColumnSql, Columns } from '../lists/column.ts'
import {
  countRows,
  type Filter,
  type KeyType,
  type Listing,
  listPages,
  type Owners,
  rowsByKey,
  selectList,
} from '../lists/listing.ts'
import type { Reader } from '../reader.ts'
import * as Prisma from '../sql-tag.ts'
import type { Arguments, HostValue } from './builder.ts'
import { connectionOf, type PageArguments, readPage } from './connection.ts'
import { type Applied, applyListInputs } from './list-inputs.ts'
import { keyText, keyType, type LookupBy, type LookupKey } from './lookup.ts'

/** A list of the rows of an owner, or of all rows: a connection, or all of them as a plain list. */
export type SqlList = PagedList | PlainList

interface ListOptions {
  /** Completes the arguments that need a read of the store. */
  prepare?(args: Arguments, reader: Reader): Promise<Arguments>
}

/** A connection: pages of a listing, whose filter and order the client chooses. */
export interface PagedList extends ListOptions {
  listing(args: Arguments): Listing<HostValue>
  /** The rows of the listing that it has. By default all. */
  filter?(args: Arguments): Filter
  owner?: ListOwner
  /**
   * Rejects an order other than the default if there are more rows than a request may sort.
   * @throws BAD_INPUT
   */
  assertSortable?(args: Arguments): void
  /** Rejects a filter that would scan more rows than a request may. @throws BAD_INPUT */
  assertFilterable?(args: Arguments): void
  /**
   * Rejects a count of more rows than a request may count, if no total is stored.
   * @throws BAD_INPUT
   */
  assertCountable?(args: Arguments): void
  /**
   * The SQL of the cursor, if the statement looks it up. If the lookup finds no row, the page is
   * empty.
   */
  startAfter?(args: Arguments): Prisma.Sql[] | undefined
  /** The argument that `startAfter` reads. */
  startArgument?: string
  /** The owner's column that is null if the list is. */
  presence?: string
  /**
   * The source of columns that plans read and the listing lacks. Resolvers load them separately.
   */
  more?: LookupBy
  /**
   * The stored total, loaded or as SQL over the owner's columns. Undefined for arguments that
   * require a count.
   */
  total?: {
    load(row: HostValue, args: Arguments, context: SqlContext): (() => Promise<number>) | undefined
    sql(args: Arguments, column: ColumnSql): string | undefined
  }
  /**
   * Further fields of the connection, all integers, whose values follow from the completed
   * arguments.
   */
  values?: Record<string, (args: Arguments) => number | null>
}

/** The columns of a list and, in the same order, the owner's fields that they equal. */
export interface ListOwner {
  columns: Owners['columns']
  fields: string[]
}

/** The request for which the rows of a plain list are read. */
interface ListRead {
  args: Arguments
  /** The columns that are read. */
  used: ReadonlySet<string>
}

/** A plain list of few rows, which SQL finds by values of their owner. */
export interface PlainList extends ListOptions {
  columns: Columns
  /** The owner's columns. Empty at the root. */
  by: readonly string[]
  /** The types of the owner's columns, for the resolver of `list`. */
  types?: readonly KeyType[]
  /** Builds FROM, WHERE and, without `order`, ORDER BY from the SQL of the owner's columns. */
  from(read: ListRead, ...owner: Prisma.Sql[]): Prisma.Sql
  /**
   * The columns that order the rows, all of them. Rows within rows are then joined and sorted once.
   */
  order?: string[]
  listing?: undefined
}

/**
 * Binds the rows of a listing to their owner.
 * @param by for each column of the listing, the owner's field that it equals, or several fields of
 * which it equals any
 */
export const ownedBy = <Name extends string>(
  { columns }: { columns: Columns<Record<NoInfer<Name>, unknown>> },
  by: Record<Name, string | string[]>,
): ListOwner => {
  const pairs = (Object.keys(by) as Name[]).flatMap((name) =>
    [by[name]].flat().map((field) => [name, field] as const),
  )
  return {
    columns: pairs.map(([name]) => ({ column: columns[name].sql, type: keyType(columns[name]) })),
    fields: pairs.map(([, field]) => field),
  }
}

/** The rows of a plain list in order. They have the columns of `order` under their names. */
export function inOrder(
  { from, order }: Pick<PlainList, 'from' | 'order'>,
  ...read: Parameters<PlainList['from']>
): Prisma.Sql {
  const rows = from(...read)
  return order
    ? Prisma.sql`${rows} ORDER BY ${Prisma.raw(order.map((name) => `"${name}"`).join(', '))}`
    : rows
}

/** Makes a batch that loads the rows of owners, with some of their columns. */
export const rowsOfOwners =
  (list: PlainList): Batch<LookupKey, object[], [Arguments, string[]]> =>
  (reader, owners, args, names) => {
    const columns: Columns = {}
    for (const name of names) {
      const column = list.columns[name]
      if (column) columns[name] = column
    }
    const used = new Set(names)
    return rowsByKey(
      reader,
      list.types ?? [],
      owners.map((owner) => owner.map(keyText)),
      (owner) =>
        Prisma.sql`SELECT ${selectList(columns)} ${inOrder(list, { args, used }, ...owner)}`,
    )
  }

/** Applies the arguments `where` and `orderBy` to a connection. */
function withInputs(list: PagedList): PagedList {
  const { listing, filter = () => ({ where: [] }), total, assertSortable, assertFilterable } = list
  const cache = new WeakMap<Arguments, Applied<HostValue>>()
  const applied = (args: Arguments) => {
    let made = cache.get(args)
    if (!made) {
      made = applyListInputs(listing(args), args)
      if (made.sorts) assertSortable?.(args)
      if (made.filters) assertFilterable?.(args)
      cache.set(args, made)
    }
    return made
  }
  return {
    ...list,
    listing: (args) => applied(args).listing,
    filter: (args) => applied(args).filter(filter(args)),
    ...(total && {
      total: {
        load: (row, args, context) =>
          applied(args).filters ? undefined : total.load(row, args, context),
        sql: (args, column) => (applied(args).filters ? undefined : total.sql(args, column)),
      },
    }),
  }
}

/** The filter of a connection for its arguments. */
export const filterOfList = ({ filter }: PagedList, args: Arguments): Filter =>
  filter?.(args) ?? { where: [] }

/** A list with the client's filter and order applied, and its resolver. */
export function resolvedList(list: SqlList): { list: SqlList; resolve: ListResolver } {
  if (!list.listing) return { list, resolve: resolverOfRows(list) }
  const complete = withInputs(list)
  return { list: complete, resolve: resolverOfPages(complete) }
}

type ListResolver = (row: HostValue, args: HostValue, context: SqlContext) => Promise<HostValue>

function resolverOfRows(list: PlainList): ListResolver {
  const load = rowsOfOwners(list)
  const all = Object.keys(list.columns)
  return async (row, sent, { batches, reader }) => {
    const args = list.prepare ? await list.prepare(sent, reader) : sent
    return batches.load(
      load,
      list.by.map((name) => row[name]),
      args,
      all,
    )
  }
}

function resolverOfPages(list: PagedList): ListResolver {
  const { columns, fields } = list.owner ?? { columns: [], fields: [] }
  type OwnerKey = Owners['values'][number]
  const owners = (values: readonly OwnerKey[]): Owners => ({ columns, values: [...values] })
  const pages: Batch<OwnerKey, HostValue[], [Arguments]> = (reader, values, args) => {
    const listing = list.listing(args)
    const page = readPage(listing, args)
    return listPages(reader, listing, filterOfList(list, args), page, owners(values))
  }
  const totals: Batch<OwnerKey, number, [Arguments]> = (reader, values, args) => {
    list.assertCountable?.(args)
    return countRows(reader, list.listing(args), filterOfList(list, args), owners(values))
  }
  return async (row, sent: PageArguments & Arguments, context) => {
    if (list.presence !== undefined && row[list.presence] === null) return null
    const args = list.prepare ? await list.prepare(sent, context.reader) : sent
    const listing = list.listing(args)
    const page = readPage(listing, args)
    const owner = fields.map((field) => keyText(row[field]))
    const count =
      list.total?.load(row, args, context) ?? (() => context.batches.load(totals, owner, args))
    const values = Object.entries(list.values ?? {}).map(([name, value]) => [name, value(args)])
    return {
      ...connectionOf(listing, page, await context.batches.load(pages, owner, args), count),
      ...Object.fromEntries(values),
    }
  }
}
