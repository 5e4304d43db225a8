import type { Values, ValueType } from './value-type.ts'

/** A column of a kind of rows: what it is in the store, in lists and in the graph. */
export interface Column {
  /** SQL over `t`. */
  sql: string
  /** One without a type is no value of its own: other SQL is made of it. */
  type?: ValueType
  nullable?: boolean
  /** SQL that rows are ordered by it with, where an index has another than `sql`. */
  order?: string
  /** What it means. Only columns with a description are fields of the graph. */
  description?: string
  /** Its name in the graph, where that is another than in the row. */
  field?: string
  /** Lists can be filtered by it under its name in the graph: by bounds, or, what has no order, by one value. */
  filter?: true
  /** Lists can be sorted by it: under its name in the graph in capitals, or this one. */
  sort?: true | string
}

/** The columns of a kind of rows, by their names in a row. */
export type Columns<Row = Record<string, unknown>> = { [Name in keyof Row & string]: Column }

/** A row with these columns. */
export type RowOf<Own> = { -readonly [Name in keyof Own]: ValueOf<Own[Name]> }

type ValueOf<Own> = Own extends { type: infer Type extends ValueType }
  ? Values[Type] | (Own extends { nullable: true } ? null : never)
  : unknown

/** `collateral_usd` for collateralUsd: how the store names the column of a field. */
export const snakeCase = (name: string) => name.replace(/[A-Z]|(?<=[a-z])\d/g, (one) => `_${one.toLowerCase()}`)

/** A column whose SQL may be left out. */
export type Described = Omit<Column, 'sql'> & { sql?: string }
type Stored<Own> = { -readonly [Name in keyof Own]: Own[Name] & { sql: string } }

/**
 * The columns of a table `t`. One that has no SQL of its own is the stored column of its name.
 * @param _fields the fields of the table's Prisma model: a column is one of them, unless it has SQL of its own
 */
export function columnsOf<Fields, const Own extends Record<string, Described>>(
  _fields: Fields,
  columns: Own & { [Name in keyof Own]: Name extends keyof Fields ? unknown : { sql: string } },
): Stored<Own> {
  return Object.fromEntries(
    Object.entries<Described>(columns).map(([name, column]) => [name, { sql: storedSql(name, column), ...column }]),
  ) as Stored<Own>
}

const storedSql = (name: string, { type }: Described) => `t.${snakeCase(name)}${type === 'amount' ? '::text' : ''}`
