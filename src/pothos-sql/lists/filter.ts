import { DAY_MS, isoDay } from '../dates.ts'
import { badArgument } from '../errors.ts'
import * as Prisma from '../sql-tag.ts'
import type { Column, Columns } from './column.ts'
import { VALUE_TYPES, type ValueType } from './value-type.ts'

/**
 * A condition that rows can be filtered by. `many`: equal to any of several values; `range`: within
 * bounds; `flag`: the SQL is true or, for false, anything else (false or null).
 */
export interface Condition {
  kind: 'many' | 'range' | 'flag'
  type: ValueType
  /** SQL over `t`. A row matches if any of the columns matches. */
  columns: string[]
  /**
   * Replaces the comparison of columns with the values. Its argument is SQL of an array of them.
   */
  lookup?: FilterLookup
  description: string
}

/** SQL that compares a row with values in another way than by its columns. */
export interface FilterLookup {
  /** The condition for an array of values. */
  matches(values: Prisma.Sql): Prisma.Sql
  /** The condition for one value, if an index serves it in the list's default order. */
  equals?(value: Prisma.Sql): Prisma.Sql
  /**
   * The keys of the rows that match. An index has the rows of each key in the list's default order.
   */
  keys?: {
    /** The FROM item `t` whose index has them, and the column of it that equals a key. */
    from: Prisma.Sql
    column: string
    /**
     * Selects the different keys as `key` for an array of values and, if `partial`, as `whole`
     * whether all rows of the key match.
     */
    select(values: Prisma.Sql): Prisma.Sql
    partial?: boolean
  }
}

/** A condition whose rows are read key by key. */
export interface KeySet {
  from: Prisma.Sql
  column: string
  keys: Prisma.Sql
  partial: boolean
  matches: Prisma.Sql
}

export type Conditions = Record<string, Condition>

/**
 * A filter as the client sends it: conditions that must all hold, and nested filters. Null counts
 * as absent.
 */
export interface Where {
  [name: string]: unknown
  AND?: Where[] | null
  OR?: Where[] | null
  NOT?: Where | null
}

/** True if all conditions of a filter, also those of its AND, have one of these names. */
export const hasOnly = (where: Where, names: ReadonlySet<string>): boolean =>
  Object.entries(where).every(
    ([name, value]) =>
      value === null ||
      value === undefined ||
      names.has(name) ||
      (name === 'AND' && (value as Where[]).every((part) => hasOnly(part, names))),
  )

/** A filter compiled to SQL. */
export interface Read {
  /** Conditions that must all hold. Empty if there are none. */
  where: Prisma.Sql[]
  /** A condition that is not in `where`, whose rows an index gives key by key. */
  set?: KeySet
  /** True if there are conditions. If not, every row matches. */
  filters: boolean
  /** Returns canonical JSON of the filter. Empty if every row matches. */
  text(): string
}

export const MAX_VALUES = 1000
export const MAX_CONDITIONS = 50
export const MAX_NESTING = 5
// The largest number that a bigint of Postgres stores.
const MAX_BIGINT = 2n ** 63n - 1n

type Compared = Pick<Column, 'sql' | 'type'>

function condition(
  kind: Condition['kind'],
  column: Compared | Compared[],
  description: string,
): Condition {
  const columns = [column].flat()
  const [{ type } = {}] = columns
  if (!type) throw new Error('a filter compares columns of a type')
  return { kind, type, columns: columns.map(({ sql }) => sql), description }
}

export const many = (column: Compared | Compared[], description: string) =>
  condition('many', column, description)
export const range = (column: Compared, description: string) =>
  condition('range', column, description)
export const flag = (sql: string, description: string) =>
  condition('flag', { sql, type: 'boolean' }, description)
/** Replaces the comparison of a condition with values. */
export const lookedUp = (condition: Condition, lookup: FilterLookup): Condition => ({
  ...condition,
  lookup,
})

/** Reads no condition key by key, for a list whose rows another index gives. */
export const withoutKeys = (conditions: Conditions): Conditions =>
  Object.fromEntries(
    Object.entries(conditions).map(([name, { lookup, ...rest }]) => {
      if (!lookup) return [name, rest]
      const { keys: _, ...others } = lookup
      return [name, { ...rest, lookup: others }]
    }),
  )

export function columnFilters(columns: Columns): Conditions {
  const conditions: Conditions = {}
  for (const [name, column] of Object.entries(columns)) {
    const { type, field = name, filter } = column
    if (!filter) continue
    const named = filter === true ? field : filter
    conditions[named] =
      type === 'address' || type === 'text'
        ? many(column, `Only rows with one of these values of \`${named}\`.`)
        : range(column, `Only rows whose \`${named}\` is in this range.`)
  }
  return conditions
}

/**
 * Compiles a filter to SQL, with values as parameters.
 * @throws BAD_INPUT if it is too large or a value is invalid
 */
export function readWhere(conditions: Conditions, where: Where | null | undefined): Read {
  if (!where) return { where: [], filters: false, text: () => '' }
  const reader = new WhereReader(conditions, true)
  const sql = reader.all(where, 'where', 1)
  const { set } = reader
  const filters = sql.length > 0 || set !== undefined
  return { where: sql, ...(set && { set }), filters, text: () => (filters ? textOf(where) : '') }
}

/** Compiles a filter to one SQL condition. @throws BAD_INPUT like `readWhere` */
export const conditionOf = (conditions: Conditions, where: Where): Prisma.Sql =>
  together(new WhereReader(conditions, false).all(where, 'where', 1))

class WhereReader {
  set: KeySet | undefined
  readonly #conditions: Conditions
  readonly #splits: boolean
  #count = 0

  // `splits`: whether the first condition with a lookup becomes the set
  constructor(conditions: Conditions, splits: boolean) {
    this.#conditions = conditions
    this.#splits = splits
  }

  all(where: Where, path: string, depth: number): Prisma.Sql[] {
    if (depth > MAX_NESTING)
      throw badArgument(path, `is nested more than ${MAX_NESTING} deep: write it flatter`)
    const conditions: Prisma.Sql[] = []
    for (const [name, value] of Object.entries(where)) {
      if (value === null || value === undefined) continue
      const at = `${path}.${name}`
      if (name === 'AND')
        for (const part of value as Where[]) conditions.push(...this.#nested(part, at, depth))
      else if (name === 'OR') conditions.push(this.#any(value as Where[], at, depth))
      else if (name === 'NOT')
        conditions.push(
          Prisma.sql`(${together(this.#nested(value as Where, at, depth))}) IS NOT TRUE`,
        )
      else conditions.push(...this.#one(name, value, at, depth))
    }
    return conditions
  }

  #any(parts: Where[], path: string, depth: number): Prisma.Sql {
    if (parts.length === 0) return NEVER
    return Prisma.sql`(${Prisma.join(
      parts.map((part) => together(this.#nested(part, path, depth))),
      ' OR ',
    )})`
  }

  #nested(where: Where, path: string, depth: number): Prisma.Sql[] {
    this.#counted(path)
    return this.all(where, path, depth + 1)
  }

  #one(name: string, value: unknown, path: string, depth: number): Prisma.Sql[] {
    const condition = this.#conditions[name]
    if (!condition) throw new Error(`no condition ${name}`)
    const { kind, type, columns } = condition
    if (kind === 'range') {
      const [column = ''] = columns
      return Object.entries(value as Record<string, unknown>).flatMap(([operator, bound]) => {
        if (bound === null || bound === undefined) return []
        this.#counted(path)
        return this.#compared(Prisma.raw(column), type, operator, bound, `${path}.${operator}`)
      })
    }
    this.#counted(path)
    if (kind === 'flag')
      return [Prisma.raw(value ? `(${columns[0]})` : `(${columns[0]}) IS NOT TRUE`)]
    const values = distinct(value as unknown[], type, path)
    if (condition.lookup) {
      const { keys, equals, matches } = condition.lookup
      if (equals && values.length === 1) return [equals(parameter(values[0], type))]
      // The subselect hides the values from the planner, so that Postgres uses the generic plan for
      // all.
      const typeName = Prisma.raw(VALUE_TYPES[type].sql)
      const array = Prisma.sql`(SELECT ${arrayOf(values, type)})::${typeName}[]`
      if (!keys || !this.#splits || depth > 1 || this.set) return [matches(array)]
      const { select, partial = false, ...rows } = keys
      this.set = { ...rows, keys: select(array), partial, matches: matches(array) }
      return []
    }
    const any = columns.map((column) => equal(Prisma.raw(column), type, values))
    return [any.length === 1 ? (any[0] as Prisma.Sql) : Prisma.sql`(${Prisma.join(any, ' OR ')})`]
  }

  #compared(
    column: Prisma.Sql,
    type: ValueType,
    operator: string,
    bound: unknown,
    path: string,
  ): Prisma.Sql[] {
    if (operator === 'in') return [equal(column, type, distinct(bound as unknown[], type, path))]
    const value = checked(bound, type, path)
    if (operator === 'eq') return [equal(column, type, [value])]
    let sign = SIGNS[operator as keyof typeof SIGNS]
    // The bound is cut to the column's unit: for one within a date or a second, `<` becomes `<=`
    // and `>=` becomes `>`.
    if (value instanceof Date && value.getTime() % unitOf(type) !== 0)
      sign = sign.startsWith('<') ? '<=' : '>'
    return [Prisma.sql`${column} ${Prisma.raw(sign)} ${parameter(value, type)}`]
  }

  #counted(path: string): void {
    if (++this.#count > MAX_CONDITIONS)
      throw badArgument(
        path,
        `is one too many: a filter has at most ${MAX_CONDITIONS} conditions. Use lists of values`,
      )
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const NEVER = Prisma.sql`FALSE`

// The unit in which a column stores moments, in milliseconds.
const unitOf = (type: ValueType) =>
  ({ date: DAY_MS, timestamp: 1000 })[type as 'date' | 'timestamp'] ?? 1

const together = (all: Prisma.Sql[]): Prisma.Sql =>
  all.length === 0 ? Prisma.sql`TRUE` : Prisma.sql`(${Prisma.join(all, ' AND ')})`

function equal(column: Prisma.Sql, type: ValueType, values: unknown[]): Prisma.Sql {
  if (values.length === 0) return NEVER
  if (values.length === 1) return Prisma.sql`${column} = ${parameter(values[0], type)}`
  return Prisma.sql`${column} = ANY(${arrayOf(values, type)})`
}

const arrayOf = (values: unknown[], type: ValueType) =>
  Prisma.sql`${values.map((value) => written(value, type))}::${Prisma.raw(VALUE_TYPES[type].sql)}[]`

const parameter = (value: unknown, type: ValueType) =>
  Prisma.sql`${written(value, type)}::${Prisma.raw(VALUE_TYPES[type].sql)}`

function written(value: unknown, type: ValueType): string | number {
  if (value instanceof Date) {
    if (type === 'timestamp') return String(Math.floor(value.getTime() / 1000))
    return type === 'date' ? isoDay(value) : value.toISOString()
  }
  return typeof value === 'number' ? value : String(value)
}

function checked(value: unknown, type: ValueType, path: string): unknown {
  if (type === 'float' && !Number.isFinite(value))
    throw badArgument(path, 'must be a finite number')
  if (typeof value === 'string' && value.includes('\0'))
    throw badArgument(path, 'must not hold a NUL character')
  if (typeof value === 'bigint' && value > MAX_BIGINT)
    throw badArgument(path, 'must be at most 2^63-1')
  return value
}

function distinct(values: unknown[], type: ValueType, path: string): unknown[] {
  if (values.length > MAX_VALUES)
    throw badArgument(
      path,
      `has ${values.length} values, at most ${MAX_VALUES} are allowed: ask in several requests`,
    )
  return [
    ...new Map(values.map((value) => [written(checked(value, type, path), type), value])).values(),
  ]
}

// Returns canonical JSON: names sorted, nulls dropped. BigInts are text, as clients send them.
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (one === null) return undefined
    if (typeof one === 'bigint') return String(one)
    if (typeof one !== 'object' || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
