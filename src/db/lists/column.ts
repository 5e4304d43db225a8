import type { Values, ValueType } from './value-type.ts'

/** Describes a column once: its SQL, its filter and sort key in lists, and its GraphQL field. */
export interface Column {
  /** SQL over the table alias `t`. */
  sql: string
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
  /** Makes the field a token amount. */
  tokens?: Tokens
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

/** A column of amounts of a token, with what belongs to it. */
export interface Tokens {
  /** The name of the GraphQL field. */
  field: string
  /** The column of the amount in USD. */
  usd: string
  /** The column of the token's decimals. Omitted if the amounts are in whole tokens. */
  decimals?: string
  /** True if there is no amount where the column is null. */
  optional?: boolean
}

/** Columns by the row's property. */
export type Columns<Row = Record<string, unknown>> = { [Name in keyof Row & string]: Column }

export type RowOf<Own> = { -readonly [Name in keyof Own]: ValueOf<Own[Name]> }

type ValueOf<Own> = Own extends { type: infer Type extends ValueType }
  ? Values[Type] | (Own extends { nullable: true } ? null : never)
  : unknown

/** Returns the stored name of a field's column: `collateral_usd` for `collateralUsd`. */
export const snakeCase = (name: string) =>
  name.replace(/[A-Z]+|(?<=[a-z])\d/g, (one) => `_${one.toLowerCase()}`)

export type Described = Omit<Column, 'sql'> & { sql?: string }
type Stored<Own> = { -readonly [Name in keyof Own]: Own[Name] & { sql: string } }

/**
 * Completes the columns of a table `t`. A column without SQL reads the stored column of the same
 * name.
 * @param _fields the fields of the table's Prisma model. A column without SQL must be one of them
 */
export function columnsOf<Fields, const Own extends Record<string, Described>>(
  _fields: Fields,
  columns: Own & { [Name in keyof Own]: Name extends keyof Fields ? unknown : { sql: string } },
): Stored<Own> {
  return Object.fromEntries(
    Object.entries<Described>(columns).map(([name, column]) => [
      name,
      { sql: `t.${snakeCase(name)}`, ...column },
    ]),
  ) as Stored<Own>
}

export const sqlColumns = <const Own extends Record<string, Column>>(columns: Own): Stored<Own> =>
  columns
