import type { Queryable } from '../connect/protocol.ts'
import type { Dialect } from '../dialect.ts'

export interface Merge {
  into: string
  key: string[]
  values: string[]
  /** Columns of bytes that are added to the stored ones. Null adds none. */
  appended?: string[]
  /** A FROM item with these columns. */
  from: string
}

/** The places of the rows of a store: how they are read, and how they are written. */
export interface Topology extends Dialect {
  /** Returns a temporary table as a FROM item that can be joined with stored tables. */
  temporary(table: string): string
  /** Builds a statement that adds rows that are missing, and changes those that differ. */
  merge(merge: Merge): string
  /** Raises the data version and notifies, where no trigger does. */
  announce(client: Queryable): Promise<void>
  /** Refreshes the statistics of tables within a transaction, if the servers do not. */
  analyze(client: Queryable, tables: Iterable<string>): Promise<void>
}
