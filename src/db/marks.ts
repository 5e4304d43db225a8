import { Prisma } from '../generated/prisma/client.ts'

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
  'liquidation',
  'cash_flow',
] as const

/** A table of users, or a view of these tables. */
export type UserTable =
  | (typeof TABLES_OF_USERS)[number]
  | 'position'
  | 'account_ledger'
  | 'net_cash'
  | 'net_liquidation'

/** The mark of `rowsOfUsers`. */
export class RowsOfUsers {
  readonly users: readonly string[]
  readonly tables: readonly UserTable[]

  constructor(users: readonly string[], tables: readonly UserTable[]) {
    this.users = users
    this.tables = tables
  }
}

// The mark of `usually`.
class Usually {
  readonly usual: Prisma.Sql
  readonly ifSpread: Prisma.Sql

  constructor(usual: Prisma.Sql, ifSpread: Prisma.Sql) {
    this.usual = usual
    this.ifSpread = ifSpread
  }
}

export type Mark = RowsOfUsers | Usually

/**
 * Begins a statement about several users, before its SELECT.
 * @param tables the tables of users that it reads
 */
export const rowsOfUsers = (users: readonly string[], tables: readonly UserTable[]): Prisma.Sql =>
  Prisma.sql`${new RowsOfUsers(users, tables)}`

/**
 * SQL with another form for a store whose rows of users are spread over several servers. Use it
 * where one form is wrong, refused or slower there.
 */
export const usually = (usual: Prisma.Sql, { ifSpread }: { ifSpread: Prisma.Sql }): Prisma.Sql =>
  Prisma.sql`${new Usually(usual, ifSpread)}`

/** Replaces the marks of a statement, which are among its values. */
export function replaceMarks(sql: Prisma.Sql, sqlOf: (mark: Mark) => Prisma.Sql): Prisma.Sql {
  if (!sql.values.some(isMark)) return sql
  const values = sql.values.map((value) =>
    isMark(value) ? replaceMarks(sqlOf(value), sqlOf) : value,
  )
  return Prisma.sql(sql.strings, ...values)
}

const isMark = (value: unknown): value is Mark =>
  value instanceof RowsOfUsers || value instanceof Usually
