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

const KEYS: Record<string, string> = { ...TABLES_OF_USERS, position: 'user_address', net_cash: 'account_id' }
const OF_USERS = new RegExp(`\\b(FROM|JOIN) "?(${Object.keys(KEYS).join('|')})\\b`)

/** Thrown instead of reading rows of users. */
class RowsOfUsers extends Error {}

/**
 * Runs a batch on a sharded store: for all keys together, or once for each if it reads rows of users, so that each statement goes
 * to one server. In a lateral join Citus would apply LIMIT and count to each shard, not to all together.
 */
export async function batchOnShards<Key, Value>(
  reader: Reader,
  keys: readonly Key[],
  load: (reader: Reader, keys: readonly Key[]) => Promise<Value[]>,
): Promise<Value[]> {
  try {
    return await load(keys.length > 1 ? withoutUsers(reader) : reader, keys)
  } catch (error) {
    if (!(error instanceof RowsOfUsers)) throw error
  }
  return (await Promise.all(keys.map((key) => load(reader, [key])))).flat()
}

/** A reader of the tables that each server has a copy of. */
const withoutUsers = (reader: Reader): Reader => ({
  sharded: true,
  maxBytes: reader.maxBytes,
  async $queryRaw<Rows>(...query: Parameters<Reader['$queryRaw']>): Promise<Rows> {
    const [given, ...values] = query
    const { text } = 'text' in given ? given : Prisma.sql(given, ...values)
    if (OF_USERS.test(text)) throw new RowsOfUsers()
    return reader.$queryRaw<Rows>(...query)
  },
  textRows() {
    throw new RowsOfUsers()
  },
  get models(): never {
    throw new RowsOfUsers()
  },
})

/**
 * Reads what a statement says about several users together. A sharded store sends their rows to one server first, where the
 * statement then runs as on one Postgres. About one user it needs not.
 */
export function readTogether<Rows>(reader: Reader, users: readonly string[], statement: Prisma.Sql): Promise<Rows> {
  return reader.$queryRaw<Rows>(reader.sharded && users.length !== 1 ? gathered(statement, users) : statement)
}

/** Has CTEs with the rows of these users in place of the tables of users. */
function gathered({ strings, values }: Prisma.Sql, users: readonly string[]): Prisma.Sql {
  const [first = '', ...rest] = strings
  const text = strings.join('')
  const read = Object.entries(KEYS).filter(([table]) => new RegExp(`\\b(FROM|JOIN) ${table}\\b`).test(text))
  const ctes = read.map(([table, key]) => {
    const rows = Prisma.raw(`SELECT * FROM ${table} WHERE ${key}`)
    return Prisma.sql`${Prisma.raw(table)} AS MATERIALIZED (${rows} = ANY(${users}::text[]))`
  })
  const [, more, start = ''] = /^\s*(WITH )?(.*)$/s.exec(first) ?? []
  return Prisma.sql`WITH ${Prisma.join(ctes)}${Prisma.raw(more ? ',' : '')} ${new Prisma.Sql([start, ...rest], values)}`
}
