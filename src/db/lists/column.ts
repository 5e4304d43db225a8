import type { Values, ValueType } from './value-type.ts'

/** A column of a kind of rows: its SQL, its filter and sort key in lists, and its field in the graph. */
export interface Column {
  /** SQL over `t`. */
  sql: string
  /** Omitted if the column only feeds other SQL. */
  type?: ValueType
  nullable?: boolean
  /** The SQL to order by, if an index needs another expression than `sql`. */
  order?: string
  /** Its meaning, unit and nullability. Only columns with a description are fields of the graph. */
  description?: string
  /** Its name in the graph, if it differs from its name in the row. */
  field?: string
  /** Lists can be filtered by it, under its name in the graph: text and addresses by one value, others by a range. */
  filter?: true
  /** Lists can be sorted by it, under this name or its name in the graph in capitals. */
  sort?: true | string
}

/** The columns of a kind of rows, by their names in a row. */
export type Columns<Row = Record<string, unknown>> = { [Name in keyof Row & string]: Column }

/** A row with these columns. */
export type RowOf<Own> = { -readonly [Name in keyof Own]: ValueOf<Own[Name]> }

type ValueOf<Own> = Own extends { type: infer Type extends ValueType }
  ? Values[Type] | (Own extends { nullable: true } ? null : never)
  : unknown

/** The stored name of a field's column: `collateral_usd` for `collateralUsd`. */
export const snakeCase = (name: string) => name.replace(/[A-Z]|(?<=[a-z])\d/g, (one) => `_${one.toLowerCase()}`)

/** A column whose SQL may be left out. */
export type Described = Omit<Column, 'sql'> & { sql?: string }
type Stored<Own> = { -readonly [Name in keyof Own]: Own[Name] & { sql: string } }

/**
 * Completes the columns of a table `t`: one without SQL is the stored column of its name.
 * @param _fields the fields of the table's Prisma model. A column must be one of them unless it has SQL
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
