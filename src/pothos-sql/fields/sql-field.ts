import type { ColumnSql } from '../lists/column.ts'
import type { Encoding } from '../lists/encoding.ts'
import type { ValueType } from '../lists/value-type.ts'
import type { HostValue } from './builder.ts'
import type { LookupBy } from './lookup.ts'
import type { PlainList, SqlList } from './sql-list.ts'

/**
 * The SQL of a field, in `extensions.sqlField`. An exposed field needs none: it is the row's column
 * of that name. A plan leaves other fields without one to their resolvers.
 * @property past what is read instead if one of the arguments `given` is sent
 */
export type SqlField = SqlOfField & { past?: SqlOfField & { given: readonly string[] } }

type SqlOfField =
  /**
   * A column of the row or, looked up, of the row `of`. A row without the column has it in the row
   * `without`.
   */
  | { kind: 'column'; column: string; of?: LookupBy; without?: LookupBy }
  /** SQL over the row's columns, and the type of its value. */
  | { kind: 'sql'; type: ValueType; sql(column: ColumnSql): string }
  /** SQL of JSON text over the row's columns. */
  | { kind: 'json'; sql(column: ColumnSql): string }
  /**
   * An object built from the row's columns, by field. It is null if the column `presence` is null.
   */
  | { kind: 'embedded'; columns: Record<string, FieldSource>; presence?: string }
  /** A row of another kind. */
  | ({ kind: 'lookup'; assert?: AssertArguments } & LookupBy)
  /** A row of an interface: the first of these types that has a row at its key. */
  | { kind: 'firstOf'; types: Record<string, LookupBy> }
  /** A list: a connection, or a plain list. */
  | { kind: 'list'; list: SqlList }
  /** A plain list: the rows of several lists, one after the other. */
  | { kind: 'concatenated'; lists: PlainList[] }

/**
 * The source of a field of an embedded object: a column, SQL over the row's columns or, if the
 * value is unknown, null.
 */
export type FieldSource = string | { as: Encoding; sql(column: ColumnSql): string } | null

/** Checks the arguments of a field. @throws BAD_INPUT */
export type AssertArguments = (args: HostValue) => void

/** The `extensions` of a field, such as what it costs. */
export type Extensions = Record<string, unknown>

/** Returns field options with the SQL of the field, for a field that has its own resolver. */
export const declare = (sqlField: SqlField, extensions: Extensions = {}) => ({
  extensions: { ...extensions, sqlField },
})
