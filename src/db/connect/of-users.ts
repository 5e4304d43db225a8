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
