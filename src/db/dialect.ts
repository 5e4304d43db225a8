import { Prisma } from '../generated/prisma/client.ts'
import type { TextRow } from './connect/protocol.ts'
import type { SessionSettings } from './connect/session.ts'
import { RowsOfUsers, replaceMarks } from './marks.ts'

type Query = Pick<Prisma.Sql, 'text' | 'values'>

/** What a dialect asks of a reader. */
export interface Answering {
  textRows(query: Query): Promise<TextRow[]>
  explain(query: Query): Promise<unknown>
}

/** Both forms of what depends on how the rows of users are stored. */
export interface Forms<T> {
  usual: T
  /** For rows that are spread over several servers. */
  ifSpread: T
}

/** How a store reads statements. A reader has that of its store. */
export interface Dialect {
  readonly session: SessionSettings
  /** Begins a snapshot. */
  readonly begin: string
  /** Settings of a transaction that writes, as statements that each end with a semicolon. */
  readonly writing: string
  /** Chooses the form for this store. */
  choose<T>(forms: Forms<T>): T
  /** Writes the marks of a statement as this store reads them. */
  write(sql: Prisma.Sql): Prisma.Sql
  /**
   * True if the store has no plan for a page of each of several keys. Lists then read no key alone
   * within a statement, and the values of a single key are constants of the statement.
   */
  readonly withoutLateral: boolean
  /**
   * True if the store answers a statement rightly that applies limits or counts to each of several
   * users.
   */
  answers(reader: Pick<Answering, 'explain'>, sql: Prisma.Sql): Promise<boolean>
  /**
   * Reads the rows of a planned statement. Undefined if the store has no right plan for it.
   * @param isList whether it selects the rows of one list alone
   */
  textRows(reader: Answering, query: Query, isList: boolean): Promise<TextRow[] | undefined>
}

/** All rows are on one server. */
export const oneServer: Dialect = {
  session: {},
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  writing: '',
  choose: ({ usual }) => usual,
  write: (sql) =>
    replaceMarks(sql, (mark) => (mark instanceof RowsOfUsers ? Prisma.empty : mark.usual)),
  withoutLateral: false,
  answers: async () => true,
  textRows: (reader, query) => reader.textRows(query),
}
