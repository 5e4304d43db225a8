import type { Sql } from './sql-tag.ts'

/** The values of a row as Postgres sends them. */
export type TextRow = (string | null)[]

/** A statement with its values. */
export type Statement = Pick<Sql, 'text' | 'values'>

/** Reads the database. One reader serves one operation. */
export interface Reader {
  /** Returns the rows of a statement as objects: a tagged template, or a composed one. */
  $queryRaw<Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]): Promise<Rows>
  /** Returns the rows of a statement as Postgres sends them: the text of each column. */
  textRows(query: Statement): Promise<TextRow[]>
  /** Runs `work` on a reader whose statements all see one snapshot. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /**
   * Returns a reader of the same store that answers no read: each calls `refuse`. By default it has
   * only the dialect.
   */
  refusing?(refuse: () => Promise<never>): Reader
  /** The limits of the store. By default it is plain Postgres, which has none of them. */
  readonly dialect?: Dialect
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  readonly maxBytes?: number | undefined
  /** True if nobody waits for the operation. Its work must stop. */
  readonly isOver?: boolean
}

/** How a store differs from one Postgres, where rows are spread over several, for example. */
export interface Dialect {
  /**
   * True if it has no plan for subqueries for each of several keys (LATERAL). Filters then read no
   * rows key by key, and the values of a single key are constants of the statement.
   */
  readonly withoutLateral: boolean
  /** Writes what a statement leaves to the store. A reader does so for the statements it sends. */
  write(sql: Sql): Sql
  /** Returns whether it answers a statement about several keys. If not, each is read alone. */
  answers(reader: Reader, sql: Sql): Promise<boolean>
  /**
   * Reads the rows of a plan's statement. Undefined if it cannot: resolvers then answer.
   * @param isList whether the statement selects the rows of one list alone
   */
  textRows(reader: Reader, query: Statement, isList: boolean): Promise<TextRow[] | undefined>
}

/** Plain Postgres. */
export const POSTGRES: Dialect = {
  withoutLateral: false,
  write: (sql) => sql,
  answers: async () => true,
  textRows: (reader, query) => reader.textRows(query),
}

export const dialectOf = ({ dialect = POSTGRES }: Reader): Dialect => dialect
