// biome-ignore-all lint/suspicious/noExplicitAny: the rows and the arguments of all lists

import type { Reader } from '../../db/connect/reader.ts'
import type { Column, Columns } from '../../db/lists/column.ts'
import {
  countRows,
  type Filter,
  type KeyType,
  type Listing,
  listPages,
  type Owners,
  rowsByKey,
  selectList,
} from '../../db/lists/listing.ts'
import { VALUE_TYPES, type ValueType } from '../../db/lists/value-type.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Batch, GraphContext } from '../execution/context.ts'
import { connectionOf, type PageArguments, readPage } from '../schema/connection.ts'
import { type Applied, applyListInputs } from '../schema/list-inputs.ts'

/**
 * What a field is in SQL, told beside its resolver (in `extensions.reading`), so that a plan can read a selection in one
 * statement. An exposed field needs none: it is the row's column of that name. A field without one is resolved.
 */
export type Reading =
  /** A column of the row. */
  | { kind: 'column'; column: string }
  /** Made of the row's columns: SQL of theirs, and the type of its value. */
  | { kind: 'sql'; type: ValueType; sql(column: (field: string) => string): string }
  /** An object made of the row's own columns: which column each of its fields is. `there`: null where this column is. */
  | { kind: 'own'; columns: Record<string, string>; there?: string }
  /** The one row of another kind that the values of `by` (the row's columns, or a root field's arguments) lead to. */
  | { kind: 'one'; one: One; by: string[] }
  | { kind: 'list'; list: ListReading }
  | { kind: 'rows'; rows: RowsReading }
  /** A plain list of an interface: the rows of one type after those of another. */
  | { kind: 'types'; types: Record<string, RowsReading> }

/** A kind of row that is found by a key. */
export interface One {
  columns: Columns
  /** The types of the key's values. */
  types: KeyType[]
  /** FROM and WHERE that give the row at a key, whose values are given as SQL. `used`: the columns that are read of it. */
  at(keys: Prisma.Sql[], used: ReadonlySet<string>): Prisma.Sql
  /** Whether there is a row at every key. */
  always?: boolean
}

/** A kind of row that resolvers load by its key as well. */
export interface KeyedRow<Row> extends One {
  /** The row at each key; null where there is none. */
  load: Batch<Key, Row | null>
  /** The part of a row that its key tells, for a kind that has a row at every key: the rest is loaded when it is needed. */
  stub?(key: Key): Partial<Row>
}

type Key = readonly unknown[]

/**
 * A kind of row, of which one description gives both its part of a plan and what resolvers load.
 * @param loaded the columns that resolvers load; all when left out
 */
export function keyedRow<Row>(one: One, loaded: Columns = one.columns): KeyedRow<Row> {
  const used = new Set(Object.keys(loaded))
  return {
    ...one,
    async load(reader, keys) {
      const texts = keys.map((key) => key.map(text))
      const rows = await rowsByKey<Row>(
        reader,
        one.types,
        texts,
        (key) => Prisma.sql`SELECT ${selectList(loaded)} ${one.at(key, used)}`,
      )
      return rows.map(([row]) => row ?? null)
    },
  }
}

/** The row of a listing at the values of some of its columns, which are a key. */
export function keyOf<Row>(
  { from, columns }: Pick<Listing<Row>, 'from' | 'columns'>,
  ...key: (keyof Row & string)[]
): KeyedRow<Row> {
  const names = key.map((name) => Prisma.raw(columns[name].sql))
  return keyedRow<Row>({
    columns,
    types: key.map((name) => keyType(columns[name])),
    at: (values) => {
      const equal = names.map((column, i) => Prisma.sql`${column} = ${values[i]}`)
      return Prisma.sql`FROM ${from} WHERE ${Prisma.join(equal, ' AND ')}`
    },
  })
}

function keyType({ sql, type }: Column): KeyType {
  const found = type && VALUE_TYPES[type].sql
  if (found !== 'text' && found !== 'bigint' && found !== 'date') throw new Error(`${sql} cannot be a key`)
  return found
}

/**
 * Which rows of a listing are the owner's.
 * @param by the fields of the owner that columns of the listing equal, by the names of those
 */
export const ownedBy = <Name extends string>(
  { columns }: { columns: Record<NoInfer<Name>, Column> },
  by: Record<Name, string>,
): Owner => {
  const names = Object.keys(by) as Name[]
  return {
    columns: names.map((name) => ({ column: columns[name].sql, type: keyType(columns[name]) })),
    fields: names.map((name) => by[name]),
  }
}

/**
 * A field that leads to the row of another kind.
 * @param by the fields of its own row, or the arguments, whose values are the key; null where one of them is null
 */
export function one<Row>(kind: KeyedRow<Row>, by: string[], others: Record<string, unknown> = {}) {
  return {
    ...reading({ kind: 'one', one: kind, by }, others),
    resolve: (row: any, args: any, context: GraphContext): any => {
      const key = by.map((name) => row?.[name] ?? args[name] ?? null)
      if (key.includes(null)) return null
      return kind.stub ? kind.stub(key) : context.batches.load(kind.load, key)
    },
  }
}

/** A field that is a column of its row. Where the row is not loaded but for its key, `by`, it is. */
export function column<Row>(kind: KeyedRow<Row>, name: keyof Row & string, by: string[]) {
  return {
    ...reading({ kind: 'column', column: name }),
    resolve: async (row: any, _: unknown, context: GraphContext): Promise<any> =>
      (name in row ? row : await context.batches.load(kind.load, keyIn(row, by)))?.[name],
  }
}

const keyIn = (row: any, by: string[]): Key => by.map((name) => row[name])

/**
 * An object that is made of its row's own columns.
 * @param columns which column each of its fields is
 */
export const part = (columns: Record<string, string>) => ({
  ...reading({ kind: 'own', columns }),
  resolve: (row: any): any => Object.fromEntries(Object.entries(columns).map(([field, name]) => [field, row[name]])),
})

/** A plain list of few rows, of an owner whose columns `by` have these types. */
export function rows(given: RowsReading, types: KeyType[], others: Record<string, unknown> = {}) {
  const used = new Set(Object.keys(given.columns))
  const ofOwners: Batch<Key, object[], [Arguments]> = (reader, owners, args) =>
    rowsByKey(
      reader,
      types,
      owners.map((owner) => owner.map(text)),
      (owner) => Prisma.sql`SELECT ${selectList(given.columns)} ${given.of(args, owner, used)}`,
    )
  return {
    ...reading({ kind: 'rows', rows: given }, others),
    resolve: (row: any, args: Arguments, context: GraphContext): any =>
      context.batches.load(ofOwners, keyIn(row, given.by), args),
  }
}

type Arguments = Record<string, any>

/** A connection: which listing its arguments ask for, with which filter; the rows of one owner, or all. */
export interface ListReading {
  listing(args: Arguments): Listing<any>
  filter(args: Arguments): Filter
  /** Refuses an order, other than the list's own, of more rows than a request may sort. @throws BAD_INPUT */
  assertSortable?(args: Arguments): void
  /** Refuses a filter that would look through more rows than a request may. @throws BAD_INPUT */
  assertFilterable?(args: Arguments): void
  /** Refuses to count more rows than a request may, where no total is stored. @throws BAD_INPUT */
  assertCountable?(args: Arguments): void
  /** What of the arguments must be looked up first. */
  prepare?(args: Arguments, reader: Reader): Promise<Arguments>
  /** The place that its page is after, where it is looked up within the statement: no rows follow one that is not found. */
  place?(args: Arguments): Prisma.Sql[] | undefined
  owner?: Owner
  /** The stored total, where one is: loaded, or as SQL over the owner's columns; undefined for these arguments: count. */
  total?: {
    load(row: any, args: Arguments, context: GraphContext): (() => Promise<number>) | undefined
    sql(args: Arguments, column: (field: string) => string): string | undefined
  }
}

/** Which columns of a list equal which fields of the row that has it. */
interface Owner {
  columns: Owners['columns']
  fields: string[]
}

/** A plain list of few rows. */
export interface RowsReading {
  columns: Columns
  /**
   * FROM, WHERE and ORDER BY. `owner` are the SQL of the owner's columns `by`, or none at the root; `used` the columns that
   * are read of the rows.
   */
  of(args: Arguments, owner: Prisma.Sql[], used: ReadonlySet<string>): Prisma.Sql
  by: string[]
}

/** A connection's resolver and reading, from one description of it; its `extensions` may have others. */
export function list(given: ListReading, others: Record<string, unknown> = {}) {
  const own = withInputs(given)
  return { ...reading({ kind: 'list', list: own }, others), ...resolved(own) }
}

/** A connection that has no plan, and why not. */
export const unplanned = (given: ListReading, why: string) => ({
  extensions: { unplanned: why },
  ...resolved(withInputs(given)),
})

/** A connection filtered and sorted as its arguments `where` and `orderBy` say. */
function withInputs(reading: ListReading): ListReading {
  const { listing, filter, total, assertSortable, assertFilterable } = reading
  const known = new WeakMap<Arguments, Applied<any>>()
  const applied = (args: Arguments) => {
    let made = known.get(args)
    if (!made) {
      made = applyListInputs(listing(args), args)
      if (made.sorts) assertSortable?.(args)
      if (made.filters) assertFilterable?.(args)
      known.set(args, made)
    }
    return made
  }
  return {
    ...reading,
    listing: (args) => applied(args).listing,
    filter: (args) => applied(args).filter(filter(args)),
    ...(total && {
      total: {
        load: (row, args, context) => (applied(args).filters ? undefined : total.load(row, args, context)),
        sql: (args, column) => (applied(args).filters ? undefined : total.sql(args, column)),
      },
    }),
  }
}

function resolved(reading: ListReading) {
  const { columns, fields } = reading.owner ?? { columns: [], fields: [] }
  const owners = (values: readonly string[][]): Owners => ({ columns, values: [...values] })
  const pages: Batch<string[], any[], [Arguments]> = (reader, values, args) => {
    const listing = reading.listing(args)
    return listPages(reader, listing, reading.filter(args), readPage(listing, args), owners(values))
  }
  const totals: Batch<string[], number, [Arguments]> = (reader, values, args) => {
    reading.assertCountable?.(args)
    return countRows(reader, reading.listing(args), reading.filter(args), owners(values))
  }
  return {
    resolve: async (row: any, given: PageArguments & Arguments, context: GraphContext) => {
      const args = reading.prepare ? await reading.prepare(given, context.reader) : given
      const listing = reading.listing(args)
      const page = readPage(listing, args)
      const owner = fields.map((field) => text(row[field]))
      const count = reading.total?.load(row, args, context) ?? (() => context.batches.load(totals, owner, args))
      return connectionOf(listing, page, await context.batches.load(pages, owner, args), count)
    },
  }
}

const text = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value))

/** What a field is in SQL, for its `extensions`, of which it may have others. */
export const reading = (of: Reading, others: Record<string, unknown> = {}) => ({
  extensions: { ...others, reading: of },
})

/** What the globally unique id of a type's objects is in SQL, for the options of its `id`: that of the object in its type. */
export const nodeId = (type: string, id: (column: (field: string) => string) => string) =>
  reading({
    kind: 'sql',
    type: 'text',
    // Postgres breaks the lines of base64.
    sql: (column) => `translate(encode(convert_to('${type}:' || ${id(column)}, 'UTF8'), 'base64'), E'\\n', '')`,
  })
