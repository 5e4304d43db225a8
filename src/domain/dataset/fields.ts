import type { Described } from 'pothos-sql'
import { snakeCase } from 'pothos-sql/host'
import * as values from './values.ts'

/** A field of the records of a file. */
export interface RecordField extends values.Rule {
  type: values.FileType
  /** Its column, in the table and while it is staged. */
  column: string
  sql: string
  /** Its meaning and unit, as Markdown. */
  description: string
  nullable: boolean
  /** The COPY text for a record without the field. Undefined if the field is required. */
  absent?: string
}

// A column of a noun or, as far as files differ, what they say in its place.
interface FieldOptions extends Omit<Described, 'type'> {
  column?: string
  type?: values.FileType
  /** Stricter than the rule of its type. */
  rule?: values.Rule
  /** True if a record may lack it, as it may a nullable one. A text is what it then has. */
  optional?: boolean | string
}

/**
 * Derives the fields of a file from the stored columns of its noun. Those of expressions are left
 * out, unless an option names them.
 * @param options what differs, by field. One without a column of the noun describes itself
 * @param without columns of the noun that files lack
 */
export function fieldsOf(
  columns: Record<string, FieldOptions>,
  options: Record<string, FieldOptions> = {},
  without: string[] = [],
): Record<string, RecordField> {
  const fields: Record<string, FieldOptions> = {}
  const named = Object.fromEntries(
    Object.entries(options).map(([name, { column = name }]) => [column, name]),
  )
  for (const [property, column] of Object.entries(columns)) {
    const name = named[property] ?? property
    if (name in options || (isStored(column) && !without.includes(property)))
      fields[name] = { ...column, ...options[name], column: storedName(property, column) }
  }
  for (const [name, own] of Object.entries(options)) fields[name] ??= own
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, field(name, one)]))
}

const STORED = /^t\.(\w+)$/
const storedSql = ({ sql, millionths = sql }: FieldOptions) => STORED.exec(millionths ?? '')?.[1]
const isStored = (column: FieldOptions) =>
  column.sql === undefined || storedSql(column) !== undefined
const storedName = (name: string, column: FieldOptions) => storedSql(column) ?? snakeCase(name)

function field(name: string, options: FieldOptions): RecordField {
  const { type = 'text', nullable = false, optional = nullable, moment } = options
  const rule = options.rule ?? values.RULES[type as keyof typeof values.RULES]
  return {
    ...rule,
    type,
    column: options.column ?? snakeCase(name),
    sql: rule.sql ?? values.stagedSql(type),
    what: nullable ? `${rule.what} or null` : rule.what,
    description: options.description ?? moment?.description ?? '',
    nullable,
    ...(optional !== false && { absent: optional === true ? values.NULL : optional }),
  }
}
