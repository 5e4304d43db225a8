import type pg from 'pg'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Reader } from './reader.ts'

/** Tables of users, by the column that has the user's address. A sharded store has all rows of a user on one server. */
export const TABLES_OF_USERS = {
  stored_position: 'user_address',
  account_day: 'user_address',
  rank_history: 'user_address',
  market_snapshot: 'account_id',
  vault_snapshot: 'account_id',
  market_holding: 'account_id',
  vault_holding: 'account_id',
  market_liquidation_reward: 'account_id',
  vault_liquidation_reward: 'account_id',
  cash_flow: 'account_id',
} as const

/** Whether the rows of users are spread over several servers: only then there is the function that writers call. */
export async function isSharded(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regprocedure('data_changed()') IS NOT NULL AS sharded")
  return rows[0]?.sharded === true
}

/** A temporary table as a FROM item. Citus sends it to the workers only as a subquery that is read by itself. */
export const temporary = (table: string, sharded: boolean) => (sharded ? `(SELECT * FROM ${table} OFFSET 0)` : table)

interface Merge {
  into: string
  key: string[]
  values: string[]
  /** A FROM item with these columns. */
  from: string
}

/** Adds rows that are missing, and changes those that differ. Citus has no MERGE into tables that each server has a copy of. */
export function mergeSql({ into, key, values, from }: Merge, sharded: boolean): string {
  const columns = [...key, ...values]
  const of = (row: string, some: string[]) => some.map((column) => `${row}.${column}`).join(', ')
  const differs = (row: string) => `(${of('t', values)}) IS DISTINCT FROM (${of(row, values)})`
  const set = (row: string) => values.map((column) => `${column} = ${row}.${column}`).join(', ')
  if (sharded)
    return `INSERT INTO ${into} AS t (${columns.join(', ')}) SELECT ${of('s', columns)} FROM ${from} s
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set('excluded')} WHERE ${differs('excluded')}`
  return `MERGE INTO ${into} t USING ${from} s ON ${key.map((column) => `t.${column} = s.${column}`).join(' AND ')}
    WHEN MATCHED AND ${differs('s')} THEN UPDATE SET ${set('s')}
    WHEN NOT MATCHED THEN INSERT (${columns.join(', ')}) VALUES (${of('s', columns)})`
}

const KEYS: Record<string, string> = { ...TABLES_OF_USERS, position: 'user_address' }
const READS = new RegExp(`(?<=\\b(?:FROM|JOIN) )(${Object.keys(KEYS).join('|')})\\b`)

/**
 * Reads what a statement says about several users together. A sharded store sends their rows to one server first, where the
 * statement then runs as on one Postgres: OFFSET 0 makes Citus read the rows by themselves. About one user it needs not.
 */
export function readTogether<Rows>(reader: Reader, users: readonly string[], statement: Prisma.Sql): Promise<Rows> {
  return reader.$queryRaw<Rows>(reader.sharded && users.length !== 1 ? gathered(statement, users) : statement)
}

function gathered({ strings, values }: Prisma.Sql, users: readonly string[]): Prisma.Sql {
  const parts = strings.map((text) => {
    const pieces = text.split(READS).map((piece, i) => {
      if (i % 2 === 0) return Prisma.raw(piece)
      const [table, key] = [piece, KEYS[piece]].map((name) => Prisma.raw(name ?? ''))
      return Prisma.sql`(SELECT * FROM ${table} WHERE ${key} = ANY(${users}::text[]) OFFSET 0)`
    })
    return Prisma.join(pieces, '')
  })
  return Prisma.join(
    parts.flatMap((part, i) => (i === 0 ? [part] : [Prisma.sql`${values[i - 1]}`, part])),
    '',
  )
}
