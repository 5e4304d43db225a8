import type { Reader, Dialect as SqlDialect, Statement, TextRow } from 'pothos-sql'
import { Prisma } from '../generated/prisma/client.ts'
import type { SessionSettings } from './connect/session.ts'
import { RowsOfUsers, replaceMarks } from './marks.ts'

/** The reader that a dialect needs. */
export interface Answering extends Reader {
  explain(query: Statement): Promise<unknown>
}

/** Both forms of what depends on how the rows of users are stored. */
export interface Forms<T> {
  usual: T
  /** For rows that are spread over several servers. */
  ifSpread: T
}

/** How a store reads statements. A reader has that of its store. */
export interface Dialect extends SqlDialect {
  readonly session: SessionSettings
  readonly begin: string
  /** Settings of a transaction that writes, as statements that each end with a semicolon. */
  readonly writing: string
  choose<T>(forms: Forms<T>): T
  /** Writes the marks of a statement as this store reads them. */
  write(sql: Prisma.Sql): Prisma.Sql
  answers(reader: Answering, sql: Prisma.Sql): Promise<boolean>
  textRows(reader: Answering, query: Statement, isList: boolean): Promise<TextRow[] | undefined>
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
