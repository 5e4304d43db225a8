import type { FieldNode, GraphQLField } from 'graphql'
import type { Columns } from '../../db/lists/column.ts'
import { type Encoding, VALUE_TYPES } from '../../db/lists/value-type.ts'
import type { ListReading, One, RowsReading } from './reading.ts'

/** A part of an answer. */
export type Piece =
  /** JSON that is always the same. */
  | { kind: 'constant'; json: string }
  | { kind: 'leaf'; sql: string; as: Encoding }
  /** An object; `there` is SQL that is null where the object is. */
  | { kind: 'object'; members: Member[]; there?: string }
  /** The rows of a list, as JSON array. */
  | { kind: 'items'; list: List; item: Piece }
  /** The rows of several lists, one after another, as JSON array that Postgres writes. */
  | { kind: 'together'; lists: List[] }
  | { kind: 'page'; list: List; of: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor' }
  /** The cursor of the row that it is in. */
  | { kind: 'cursor'; list: List }

export interface Member {
  key: string
  piece: Piece
}

/** Rows that are read together: a root, or the rows of a list. What leads on from them is joined to them, in order. */
export interface Level {
  joins: Join[]
}

export type Join =
  | { kind: 'one'; scope: Scope; one: One; keys: Key[] }
  | { kind: 'list'; list: List }
  | { kind: 'count'; list: List; alias: string }

/** A value that a row is found by: SQL of another row's column, or an argument. */
export type Key = { sql: string } | { field: Field; argument: string; type: string }

/** A field of the document, whose arguments a request gives values to. */
export interface Field {
  node: FieldNode
  definition: GraphQLField<unknown, unknown>
}

export interface List {
  field: Field
  /** A connection, or a plain list. */
  reading: { kind: 'list'; list: ListReading } | { kind: 'rows'; rows: RowsReading }
  /** SQL of the columns of the row that has the list. */
  owner: string[]
  /** Its rows, once they are selected. */
  rows?: { scope: Scope; level: Level; item: Piece }
  /** Whether it is asked if more rows follow. */
  open: boolean
  /** Whether cursors of its rows are asked for. */
  cursors: boolean
  /** Whether it is one of several that are told as one. */
  together?: boolean
  /** Its lateral join, where Postgres writes its JSON. */
  alias: string
  /** SQL of the columns of the row that has the list, for a stored total. */
  column(field: string): string
}

/** One row that is in reach under an alias. Columns that nobody asks for are not read. */
export class Scope {
  readonly alias: string
  readonly columns: Columns
  readonly level: Level
  readonly used = new Set<string>()

  constructor(alias: string, columns: Columns, level: Level) {
    this.alias = alias
    this.columns = columns
    this.level = level
  }

  /** SQL of one of the row's columns. @throws Unplanned where the row has none of that name */
  column(field: string): string {
    if (!(field in this.columns)) throw new Unplanned(`no column ${field}`)
    this.used.add(field)
    return `${this.alias}."${field}"`
  }

  /** How one of the row's columns becomes JSON. @throws Unplanned where it is no value of its own */
  encoding(field: string): Encoding {
    const type = this.columns[field]?.type
    if (!type) throw new Unplanned(`${field} has no type`)
    return VALUE_TYPES[type].json
  }
}

/** A selection that a plan does not cover: it is resolved. */
export class Unplanned extends Error {}
