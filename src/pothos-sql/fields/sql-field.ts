// biome-ignore-all lint/suspicious/noExplicitAny: rows and arguments differ from list to list

import type { Batch, SqlContext } from '../batches.ts'
import { isoDay } from '../dates.ts'
import type { Column, Columns } from '../lists/column.ts'
import type { Encoding } from '../lists/encoding.ts'
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
import { VALUE_TYPES, type ValueType } from '../lists/value-type.ts'
import type { Reader } from '../reader.ts'
import * as Prisma from '../sql-tag.ts'
import { connectionOf, type PageArguments, readPage } from './connection.ts'
import { type Applied, applyListInputs } from './list-inputs.ts'

/**
 * The SQL of a field, declared with its resolver in `extensions.sqlField`, so that a plan can read
 * a selection in one statement. An exposed field needs no declaration: it is the row's column of
 * that name. Other fields without one are left to their resolvers.
 * @property past what is read instead if the argument `asOf` or `from` is given
 */
export type SqlField = Present & { past?: Present }

type Present =
  /**
   * A column of the row or, looked up, of the row `of`. A row without the column has it
   * in the row `without`.
   */
  | { kind: 'column'; column: string; of?: LookupBy; without?: LookupBy }
  /** SQL over the row's columns, and the type of its value. */
  | { kind: 'sql'; type: ValueType; sql(column: (field: string) => string): string }
  /** SQL of JSON text over the row's columns. */
  | { kind: 'json'; sql(column: (field: string) => string): string }
  /**
   * An object built from the row's columns, by field. It is null if the column `presence` is null.
   */
  | { kind: 'embedded'; columns: Record<string, Source>; presence?: string }
  /**
   * A row of another kind, looked up by the values of `by`: columns of the row, or arguments of a
   * root field.
   */
  | ({ kind: 'lookup'; assert?: Assert } & LookupBy)
  /** A row of an interface: the first of these types that has a row at its key. */
  | { kind: 'firstOf'; types: Record<string, LookupBy> }
  | { kind: 'list'; list: SqlList }
  | { kind: 'rows'; rows: SqlRows }
  /** A plain list: the rows of several lists, one after the other. */
  | { kind: 'concatenated'; lists: SqlRows[] }

/**
 * The source of a field of an embedded object: a column, SQL over the row's columns or, if the
 * value is unknown, null.
 */
export type Source =
  | string
  | { as: Encoding; sql(column: (field: string) => string): string }
  | null

/** Checks the arguments of a field. @throws BAD_INPUT */
export type Assert = (args: any) => void

/** A kind of row that plans look up by a key, and resolvers load by it. */
export interface Lookup<Row = unknown> {
  columns: Columns
  types: KeyType[]
  /**
   * Builds FROM and WHERE for the row at a key, given the SQL of its values. `used` are the columns
   * that are read.
   */
  at(keys: Prisma.Sql[], used: ReadonlySet<string>): Prisma.Sql
  /** True if every key has a row. */
  always?: boolean
  /** Reads an argument that is a key. Null if no row has it. */
  read?(value: any): unknown
  /**
   * The column that is null if the object is. By default the first one of a row that a key may
   * lack.
   */
  presence?: string
  load(reader: Reader, keys: readonly Key[]): Promise<(Row | null)[]>
  /**
   * Returns the properties that follow from the key, if every key has a row. The others are loaded
   * on demand.
   */
  stub?(key: Key): Partial<Row>
}

/** A row that is looked up by the values of `by`: columns of another row, or arguments. */
export interface LookupBy {
  lookup: Lookup
  by: string[]
}

type Key = readonly unknown[]

/**
 * Creates a kind of row that plans and resolvers read from one description.
 * @param loaded the columns that resolvers load; all by default
 */
export function defineLookup<Row>(
  described: Omit<Lookup<Row>, 'load'>,
  loaded: Columns = described.columns,
): Lookup<Row> {
  const used = new Set(Object.keys(loaded))
  return {
    ...described,
    async load(reader: Reader, keys: readonly Key[]) {
      const texts = keys.map((key) => key.map(text))
      const rows = await rowsByKey<Row>(reader, described.types, texts, (key) => {
        const from = described.at(key, used)
        return Prisma.sql`SELECT ${selectList(loaded)} ${from}`
      })
      return rows.map(([row]) => row ?? null)
    },
  }
}

/** Creates a kind of row whose FROM and WHERE depend on nothing but the SQL of its key. */
export const lookupBy = <Row>(
  columns: Columns,
  types: KeyType[],
  at: (...key: Prisma.Sql[]) => Prisma.Sql,
): Lookup<Row> => defineLookup<Row>({ columns, types, at: (key) => at(...key) })

/** Looks up a row of a listing by the columns `key`, which must be unique together. */
export function lookupIn<Row>(
  { from, columns }: Pick<Listing<Row>, 'from' | 'columns'>,
  ...key: (keyof Row & string)[]
): Lookup<Row> {
  const names = key.map((name) => Prisma.raw(columns[name].sql))
  return defineLookup<Row>({
    columns,
    types: key.map((name) => keyType(columns[name])),
    at: (values) => {
      const equal = names.map((column, i) => Prisma.sql`${column} = ${values[i]}`)
      return Prisma.sql`FROM ${from} WHERE ${Prisma.join(equal, ' AND ')}`
    },
  })
}

function keyType({ sql, type }: Column): KeyType {
  const encoding = type && VALUE_TYPES[type].sql
  if (encoding !== 'text' && encoding !== 'int' && encoding !== 'bigint' && encoding !== 'date')
    throw new Error(`${sql} cannot be a key`)
  return encoding
}

/**
 * Binds the rows of a listing to their owner.
 * @param by for each column of the listing, the owner's field that it equals. It equals one of
 * several
 */
export const ownedBy = <Name extends string>(
  { columns }: { columns: Record<NoInfer<Name>, Column> },
  by: Record<Name, string | string[]>,
): Owner => {
  const pairs = (Object.keys(by) as Name[]).flatMap((name) =>
    [by[name]].flat().map((field) => [name, field] as const),
  )
  return {
    columns: pairs.map(([name]) => ({ column: columns[name].sql, type: keyType(columns[name]) })),
    fields: pairs.map(([, field]) => field),
  }
}

/**
 * Declares a field that is a row of another kind. It is null if a value of its key is null.
 * @param by the fields of the parent row, or the arguments, whose values are the key
 */
export function lookup<Row>(
  kind: Lookup<Row>,
  by: string[],
  others: Record<string, unknown> = {},
  assert?: Assert,
) {
  return {
    ...sqlField({ kind: 'lookup', lookup: kind, by, ...(assert && { assert }) }, others),
    resolve: (row: any, args: any, context: SqlContext): any => {
      assert?.(args)
      const { read = (value: unknown) => value } = kind
      const key = by.map((name) => row?.[name] ?? read(args[name]) ?? null)
      if (key.includes(null)) return null
      return kind.stub ? kind.stub(key) : context.batches.load(kind.load, key)
    },
  }
}

/**
 * Declares a field of an interface: a row of one of several kinds. It is null if none of them has a
 * row.
 * @param kinds by type, each with the fields of the parent row whose values are its key
 */
export function firstOf(kinds: Record<string, { kind: Lookup<any>; by: string[] }>) {
  const types = Object.fromEntries(
    Object.entries(kinds).map(([name, { kind, by }]) => [name, { lookup: kind, by }]),
  )
  return {
    ...sqlField({ kind: 'firstOf', types }),
    resolve: async (row: any, _: unknown, { batches }: SqlContext): Promise<any> => {
      for (const { kind, by } of Object.values(kinds)) {
        const key = by.map((name) => row[name] ?? null)
        const loaded = key.includes(null) ? null : await batches.load(kind.load, key)
        if (loaded) return loaded
      }
      return null
    },
  }
}

/**
 * Declares a field that is a column of its row. If only the row's key `by` is loaded, the resolver
 * loads the row.
 */
export function column<Row>(
  kind: Lookup<Row>,
  name: keyof Row & string,
  by: string[],
  others: Record<string, unknown> = {},
) {
  return {
    ...sqlField({ kind: 'column', column: name, without: { lookup: kind, by } }, others),
    resolve: async (row: any, _: unknown, { batches }: SqlContext): Promise<any> => {
      const loaded = name in row ? row : await batches.load(kind.load, keyIn(row, by))
      return loaded?.[name]
    },
  }
}

/**
 * Declares a field that is a column of a row of another kind, which every key has.
 * @param by the fields of the parent row, or the arguments, whose values are the key; an argument
 * that is left out is `infinity`
 */
export const lookupColumn = <Row>(
  kind: Lookup<Row>,
  name: keyof Row & string,
  by: string[],
  others: Record<string, unknown> = {},
) => ({
  ...sqlField({ kind: 'column', column: name, of: { lookup: kind, by } }, others),
  resolve: async (row: any, args: any, context: SqlContext): Promise<any> =>
    (await context.batches.load(kind.load, keyOrForever(row, args, by)))?.[name],
})

/** The key of a row. An argument that is left out is `infinity`. */
export const keyOrForever = (row: any, args: any, by: string[]): Key =>
  by.map((name) => row[name] ?? args[name] ?? 'infinity')

/**
 * Declares a field that is a column of its row or, given the argument `asOf`, of the row of `past`
 * at the key and it.
 */
export function columnAsOf<Row, Past extends Record<string, unknown>>(
  kind: Lookup<Row>,
  name: keyof Row & keyof Past & string,
  by: string[],
  past: Lookup<Past>,
) {
  const now = column(kind, name, by)
  return {
    ...sqlField({
      kind: 'column',
      column: name,
      past: { kind: 'column', column: name, of: { lookup: past, by: [...by, 'asOf'] } },
    }),
    resolve: async (row: any, args: any, context: SqlContext): Promise<any> =>
      args.asOf
        ? (await context.batches.load(past.load, [...keyIn(row, by), args.asOf]))?.[name]
        : now.resolve(row, args, context),
  }
}

const keyIn = (row: any, by: string[]): Key => by.map((name) => row[name])

/** Declares an object built from columns of its row. */
export const embedded = (
  columns: Record<string, string | null>,
  others: Record<string, unknown> = {},
) => ({
  ...sqlField({ kind: 'embedded', columns }, others),
  resolve: (row: any): any =>
    Object.fromEntries(
      Object.entries(columns).map(([field, name]) => [field, name === null ? null : row[name]]),
    ),
})

/** Declares a plain list of few rows. `types` are the types of the owner's columns `by`. */
export function rows(described: SqlRows, types: KeyType[], others: Record<string, unknown> = {}) {
  const load = rowsOfOwners(described, types)
  const all = Object.keys(described.columns)
  return {
    ...sqlField({ kind: 'rows', rows: described }, others),
    resolve: (row: any, args: Arguments, context: SqlContext): any =>
      context.batches.load(load, keyIn(row, described.by), args, all),
  }
}

/** Makes a batch that loads the rows of owners, with some of their columns. */
export const rowsOfOwners =
  (described: SqlRows, types: KeyType[]): Batch<Key, object[], [Arguments, string[]]> =>
  (reader, owners, args, names) => {
    const columns = Object.fromEntries(
      names.map((name) => [name, described.columns[name] as Column]),
    )
    const used = new Set(names)
    return rowsByKey(
      reader,
      types,
      owners.map((owner) => owner.map(text)),
      (owner) => Prisma.sql`SELECT ${selectList(columns)} ${inOrder(described, args, owner, used)}`,
    )
  }

type Arguments = Record<string, any>

/**
 * A connection: the listing and the filter for its arguments, over the rows of one owner or over
 * all rows.
 */
export interface SqlList {
  listing(args: Arguments): Listing<any>
  filter(args: Arguments): Filter
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
  /** Completes the arguments that need a lookup in the database. */
  prepare?(args: Arguments, reader: Reader): Promise<Arguments>
  /**
   * The SQL of the cursor, if the statement looks it up. If the lookup finds no row, the page is
   * empty.
   */
  startAfter?(args: Arguments): Prisma.Sql[] | undefined
  /** The argument that `startAfter` reads. */
  startArgument?: string
  owner?: Owner
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
    load(row: any, args: Arguments, context: SqlContext): (() => Promise<number>) | undefined
    sql(args: Arguments, column: (field: string) => string): string | undefined
  }
  /**
   * Further fields of the connection, all integers, whose values follow from the completed
   * arguments.
   */
  values?: Record<string, (args: Arguments) => number | null>
}

/** A connection as it is declared. Without a filter it has all rows of the listing. */
type DescribedList = Omit<SqlList, 'filter'> & Partial<Pick<SqlList, 'filter'>>

/** The columns of a list and, in the same order, the owner's fields that they equal. */
interface Owner {
  columns: Owners['columns']
  fields: string[]
}

/** A plain list of few rows. */
export interface SqlRows {
  columns: Columns
  /**
   * Builds FROM, WHERE and, without `order`, ORDER BY. `owner` is the SQL of the owner's columns
   * `by` (empty at the root), `used` are the columns that are read.
   */
  of(args: Arguments, owner: Prisma.Sql[], used: ReadonlySet<string>): Prisma.Sql
  by: string[]
  /**
   * Completes the arguments that need a lookup in the database. Resolvers complete them otherwise.
   */
  prepare?(args: Arguments, reader: Reader): Promise<Arguments>
  /**
   * The columns that order the rows, all of them. Rows within rows are then joined and sorted once.
   */
  order?: string[]
}

/** The rows of a list in order. They have the columns of `order` under their names. */
export function inOrder({ of, order }: SqlRows, ...args: Parameters<SqlRows['of']>): Prisma.Sql {
  const sql = of(...args)
  return order
    ? Prisma.sql`${sql} ORDER BY ${Prisma.raw(order.map((name) => `"${name}"`).join(', '))}`
    : sql
}

/**
 * Declares a connection's resolver and SQL field from one description. `others` are further
 * `extensions`.
 */
export function list(described: DescribedList, others: Record<string, unknown> = {}) {
  const complete = withInputs(described)
  return { ...sqlField({ kind: 'list', list: complete }, others), ...resolved(complete) }
}

/** Declares a connection that has only a resolver. `why` is the reason that it has no plan. */
export const resolvedList = (described: DescribedList, why: string) => ({
  extensions: { unplanned: why },
  ...resolved(withInputs(described)),
})

/** Applies the arguments `where` and `orderBy` to a connection. */
function withInputs(list: DescribedList): SqlList {
  const { listing, filter = () => ({ where: [] }), total, assertSortable, assertFilterable } = list
  const cache = new WeakMap<Arguments, Applied<any>>()
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

function resolved(list: SqlList) {
  const { columns, fields } = list.owner ?? { columns: [], fields: [] }
  const owners = (values: readonly string[][]): Owners => ({ columns, values: [...values] })
  const pages: Batch<string[], any[], [Arguments]> = (reader, values, args) => {
    const listing = list.listing(args)
    return listPages(reader, listing, list.filter(args), readPage(listing, args), owners(values))
  }
  const totals: Batch<string[], number, [Arguments]> = (reader, values, args) => {
    list.assertCountable?.(args)
    return countRows(reader, list.listing(args), list.filter(args), owners(values))
  }
  return {
    resolve: async (row: any, sent: PageArguments & Arguments, context: SqlContext) => {
      if (list.presence !== undefined && row[list.presence] === null) return null
      const args = list.prepare ? await list.prepare(sent, context.reader) : sent
      const listing = list.listing(args)
      const page = readPage(listing, args)
      const owner = fields.map((field) => text(row[field]))
      const count =
        list.total?.load(row, args, context) ?? (() => context.batches.load(totals, owner, args))
      const values = Object.entries(list.values ?? {}).map(([name, value]) => [name, value(args)])
      return {
        ...connectionOf(listing, page, await context.batches.load(pages, owner, args), count),
        ...Object.fromEntries(values),
      }
    },
  }
}

const text = (value: unknown) => (value instanceof Date ? isoDay(value) : String(value))

/** Returns field options with the SQL field in `extensions`. `others` are further `extensions`. */
export const sqlField = (of: SqlField, others: Record<string, unknown> = {}) => ({
  extensions: { ...others, sqlField: of },
})

/**
 * Returns the options of a type's global `id` field. The callback builds the SQL of the id within
 * the type.
 */
export const nodeId = (type: string, id: (column: (field: string) => string) => string) =>
  sqlField({
    kind: 'sql',
    type: 'text',
    // Postgres inserts line breaks into base64.
    sql: (column) =>
      `translate(encode(convert_to('${type}:' || ${id(column)}, 'UTF8'), 'base64'), E'\\n', '')`,
  })
