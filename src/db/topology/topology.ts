import type pg from 'pg'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { TextRow } from '../connect/protocol.ts'
import type { SessionSettings } from '../connect/session.ts'

/** The column with the user's address of each table of users. */
export const USER_KEY = 'user_address'

export const TABLES_OF_USERS = [
  'stored_position',
  'account_day',
  'removed_day',
  'rank_history',
  'market_snapshot',
  'vault_snapshot',
  'market_holding',
  'vault_holding',
  'market_liquidation_reward',
  'vault_liquidation_reward',
  'cash_flow',
] as const

/** A table of users, or a view of these tables. */
export type UserTable =
  | (typeof TABLES_OF_USERS)[number]
  | 'position'
  | 'account_ledger'
  | 'net_cash'

/**
 * Both forms of what depends on where the rows of users are: in one Postgres, or spread over the
 * workers of a cluster.
 */
export interface Forms<T> {
  one: T
  cluster: T
}

/** A statement about several users together. */
export interface AboutUsers {
  users: readonly string[]
  /** The tables of users that it reads. */
  tables: readonly UserTable[]
  /** Its common table expressions, without WITH. */
  ctes?: Prisma.Sql
  select: Prisma.Sql
}

export interface Merge {
  into: string
  key: string[]
  values: string[]
  /** Columns of bytes that are added to the stored ones. Null adds none. */
  appended?: string[]
  /** A FROM item with these columns. */
  from: string
}

type Query = Pick<Prisma.Sql, 'text' | 'values'>

export interface Answering {
  textRows(query: Query): Promise<TextRow[]>
  explain(query: Query): Promise<unknown>
}

type Writer = Pick<pg.ClientBase, 'query'>

/** The places of the rows of a store. Callers ask it for the statements that depend on that. */
export interface Topology {
  readonly session: SessionSettings
  /** Begins a snapshot. */
  readonly begin: string
  /** Chooses the form for this store. */
  form<T>(forms: Forms<T>): T
  /** Builds a statement that reads all of its users' rows before it runs. */
  together(statement: AboutUsers): Prisma.Sql
  /**
   * True if the store answers a statement rightly if it applies limits or counts to each of several
   * users.
   */
  answers(reader: Pick<Answering, 'explain'>, query: Query): Promise<boolean>
  /**
   * Reads the rows of a planned statement. Undefined if the store has no right plan for it. Left
   * out if it has one for each.
   * @param isList whether it selects the rows of one list alone
   */
  textRows?(reader: Answering, query: Query, isList: boolean): Promise<TextRow[] | undefined>
  /** Returns a temporary table as a FROM item that can be joined with stored tables. */
  temporary(table: string): string
  /** Builds a statement that adds rows that are missing, and changes those that differ. */
  merge(merge: Merge): string
  /** Raises the data version and notifies, where no trigger does. */
  announce(client: Writer): Promise<void>
  /** Refreshes the statistics of tables within a transaction, if the servers do not. */
  analyze(client: Writer, tables: Iterable<string>): Promise<void>
}
