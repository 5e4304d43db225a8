import type { FieldNode, GraphQLField } from 'graphql'
import type { Lookup, LookupBy } from '../fields/lookup.ts'
import type { AssertArguments } from '../fields/sql-field.ts'
import type { SqlList } from '../fields/sql-list.ts'
import type { ColumnSql, Columns } from '../lists/column.ts'
import { ENCODINGS, type Encoding } from '../lists/encoding.ts'
import { VALUE_TYPES } from '../lists/value-type.ts'

/** A part of an answer's JSON. */
export type Piece =
  | { kind: 'constant'; json: string }
  | { kind: 'leaf'; sql: string; as: Encoding }
  /** An object, which is null if the SQL `presence` is null. */
  | { kind: 'object'; members: Member[]; presence?: string }
  /** The first of several objects whose `presence` is not null, or null. */
  | { kind: 'either'; objects: { members: Member[]; presence: string }[] }
  /** The rows of a list, as a JSON array. */
  | { kind: 'items'; list: List; item: Piece }
  /** The rows of several lists in sequence, as one JSON array that Postgres writes. */
  | { kind: 'concatenated'; lists: List[] }
  | { kind: 'page'; list: List; of: PageField }
  /** The cursor of the row that contains it. */
  | { kind: 'cursor'; list: List }

export type PageField = 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'

export interface Member {
  key: string
  piece: Piece
}

/**
 * Rows that are read together: the root, or the rows of a list. A join may refer to the joins
 * before it.
 */
export interface Level {
  joins: Join[]
}

export type Join =
  | { kind: 'lookup'; scope: Scope; lookup: Lookup; keys: Key[] }
  | { kind: 'list'; list: List }
  | { kind: 'count'; list: List; alias: string }
  /** One of the `values` of a list. */
  | { kind: 'value'; list: List; alias: string; name: string }

/** A value that a row is looked up by: SQL of another row's column, or an argument. */
export type Key =
  | { sql: string }
  | {
      field: Field
      argument: string
      type: string
      assert: AssertArguments | undefined
      read: Lookup['read']
    }

/** A field of the document. Its argument values depend on the request. */
export interface Field {
  node: FieldNode
  definition: GraphQLField<unknown, unknown>
}

export interface List {
  field: Field
  sqlList: SqlList
  /** SQL of the owner's columns that select the list's rows. */
  owner: string[]
  /** Set once the rows are selected. */
  rows?: { scope: Scope; level: Level; item: Piece }
  /** True if `hasNextPage` or `hasPreviousPage` is selected. */
  open: boolean
  /** True if cursors of its rows are selected. */
  cursors: boolean
  /** True if it is one of several lists that form one array. */
  together?: boolean
  /** The alias of its lateral join, if Postgres writes its JSON. */
  alias: string
  /** Returns the SQL of an owner's column, for a stored total. */
  column: ColumnSql
}

// Follows the name of a column whose millionths are read.
const MILLIONTHS = ' millionths'

/** Selects the used columns of a row, whose SQL may depend on arguments. */
export function selectUsed(used: ReadonlySet<string>, columns: Columns): string[] {
  return [...used].map((name) => {
    if (!name.endsWith(MILLIONTHS)) return `${columns[name]?.sql} AS "${name}"`
    const { sql, millionths = `((${sql}) * 1000000)::bigint` } =
      columns[name.slice(0, -MILLIONTHS.length)] ?? {}
    return `${millionths} AS "${name}"`
  })
}

/** A row under an SQL alias. Only columns in `used` are read. */
export class Scope {
  readonly alias: string
  readonly columns: Columns
  readonly level: Level
  readonly used = new Set<string>()
  readonly #more: LookupBy | undefined
  // The SQL of columns that equal one of the owner.
  readonly #owned: ReadonlyMap<string, string>
  #rest: Scope | undefined

  // `more`: the row of another kind that has further columns of this one
  constructor(
    alias: string,
    columns: Columns,
    level: Level,
    more?: LookupBy,
    owned: ReadonlyMap<string, string> = new Map(),
  ) {
    this.alias = alias
    this.columns = columns
    this.level = level
    this.#more = more
    this.#owned = owned
  }

  has(field: string): boolean {
    return field in this.columns || (this.#more !== undefined && field in this.#more.lookup.columns)
  }

  /** Returns whether a column equals one of the owner. */
  isOwned(field: string): boolean {
    return this.#owned.has(field)
  }

  /**
   * Returns the SQL of a column and marks it as used.
   * @throws Unplanned if the row has no such column
   */
  column(field: string): string {
    if (!(field in this.columns)) return this.#joined(field).column(field)
    const owned = this.#owned.get(field)
    if (owned !== undefined) return owned
    const derived = this.columns[field]?.derived
    if (derived) return `(${derived((name) => this.column(name))})`
    this.used.add(field)
    return `${this.alias}."${field}"`
  }

  /**
   * Returns the SQL and the JSON encoding of a column, which it marks as used.
   * @throws Unplanned if it has no type
   */
  value(field: string): { sql: string; as: Encoding } {
    if (!(field in this.columns)) return this.#joined(field).value(field)
    const { type, millionths } = this.columns[field] ?? {}
    if (!type) throw new Unplanned(`${field} has no type`)
    if (millionths === undefined) return { sql: this.column(field), as: VALUE_TYPES[type].encoding }
    const name = field + MILLIONTHS
    this.used.add(name)
    return { sql: `${this.alias}."${name}"`, as: ENCODINGS.millionths }
  }

  #joined(field: string): Scope {
    if (!this.#more || !this.has(field)) throw new Unplanned(`no column ${field}`)
    const { lookup, by } = this.#more
    if (!this.#rest) {
      const keys = by.map((name) => ({ sql: this.column(name) }))
      this.#rest = new Scope(`${this.alias}more`, lookup.columns, this.level)
      this.level.joins.push({ kind: 'lookup', scope: this.#rest, lookup, keys })
    }
    return this.#rest
  }
}

/** Thrown for a selection that a plan does not cover. Resolvers answer it instead. */
export class Unplanned extends Error {}
