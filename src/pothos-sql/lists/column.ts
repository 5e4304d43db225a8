import type { VALUE_TYPES, Values, ValueType } from './value-type.ts'

/** Describes a column once: its SQL, its filter and sort key in lists, and its GraphQL field. */
export interface Column {
  /** SQL over the table alias `t`. */
  sql: string
  /**
   * The same over other columns, none of which is derived. A plan reads those once for all that is
   * derived of them.
   */
  derived?: (column: ColumnSql) => string
  /** Omitted if the column is only used inside other SQL. */
  type?: ValueType
  nullable?: boolean
  /**
   * SQL of a decimal's millionths, as a bigint. Plans read them instead, which costs Postgres less.
   */
  millionths?: string
  /** The SQL to order by, if the index is on a different expression than `sql`. */
  order?: string
  /** Meaning, unit and nullability. Only columns with a description become GraphQL fields. */
  description?: string
  /** The name of the GraphQL field, if it differs from the row's property. */
  field?: string
  /** Makes the field a DateTime: the column is in Unix seconds. */
  moment?: { field: string; description: string }
  /**
   * Adds a filter with this name or, if true, the name of the GraphQL field. Text and addresses
   * match one value, other types a range.
   */
  filter?: true | string
  /** Adds a sort key with this name or, if true, the name of the GraphQL field in CONSTANT_CASE. */
  sort?: true | string
}

/** Columns by the row's property. */
export type Columns<Row = Record<string, unknown>> = { [Name in keyof Row & string]: Column }

/** Returns the SQL of a column of a row. */
export type ColumnSql = (field: string) => string

export type RowOf<Own> = { -readonly [Name in keyof Own]: ValueOf<Own[Name]> }

type ValueOf<Own> = Own extends { type: infer Type extends ValueType }
  ? Values[Type] | (Own extends { nullable: true } ? null : never)
  : unknown

/** Returns the stored name of a field's column: `collateral_usd` for `collateralUsd`. */
export const snakeCase = (name: string) =>
  name.replace(/[A-Z]+|(?<=[a-z])\d/g, (one) => `_${one.toLowerCase()}`)

// Types of values among which null has no place in an order: those without `ends`.
type Endless = {
  [Type in ValueType]: (typeof VALUE_TYPES)[Type] extends { ends: unknown } ? never : Type
}[ValueType]

// A column that lists sort by is never null, or null has its place among the values.
type Sortable<Own> = Own extends { sort: true | string; nullable: true; type: Endless }
  ? { sort: 'null has no place among these values: give their type `ends` in value-type.ts' }
  : unknown

export type Described = Omit<Column, 'sql'> & { sql?: string }
type WithSql = { sql: string } | { derived: (column: ColumnSql) => string }
type Stored<Own> = { -readonly [Name in keyof Own]: Own[Name] & { sql: string } }

/**
 * Completes columns of the table `t`. One without SQL reads the stored column of the same name.
 * @param fields the fields of the table. A column without SQL must be one of them
 */
export function sqlColumns<Fields, const Own extends Record<string, Described>>(
  fields: Fields,
  columns: Own & {
    [Name in keyof Own]: Sortable<Own[Name]> & (Name extends keyof Fields ? unknown : WithSql)
  },
): Stored<Own>
/** Completes columns that all have SQL. */
export function sqlColumns<const Own extends Record<string, Described>>(
  columns: Own & { [Name in keyof Own]: Sortable<Own[Name]> & WithSql },
): Stored<Own>
export function sqlColumns(
  ...given: [columns: Record<string, Described>] | [fields: unknown, Record<string, Described>]
): Record<string, Column> {
  const columns = given.length === 1 ? given[0] : given[1]
  const ofRow = (name: string): string => `(${columns[name]?.sql ?? `t.${snakeCase(name)}`})`
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      { sql: column.derived?.(ofRow) ?? `t.${snakeCase(name)}`, ...column },
    ]),
  )
}
