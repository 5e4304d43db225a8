import type { Queryable } from '../../db/write.ts'
import type { EntityType } from '../holding/place.ts'

/** A table whose rows are those of a query over the records. */
export interface DerivedTable {
  table: string
  key: string[]
  columns: string
  /** The query, which has the same columns. */
  rows: string
}

/** Holdings are the newest snapshots of each user in each market or vault. */
export async function holdingsTable(client: Queryable, kind: EntityType): Promise<DerivedTable> {
  const table = `${kind}_holding`
  const columns = await columnsOf(client, table)
  return {
    table,
    key: ['user_address', 'chain_id', `${kind}_id`, 'position_id'],
    columns,
    rows: `SELECT ${columns} FROM (
        SELECT *, max(timestamp) OVER (PARTITION BY user_address, chain_id, ${kind}_id) AS newest
        FROM ${kind}_snapshot) s
      WHERE timestamp = newest`,
  }
}

/** Undefined for a store without triggers, which sums up cash flows when they are read. */
export async function netCashTable(client: Queryable): Promise<DerivedTable | undefined> {
  const { rows } = await client.query<{ stored: boolean }>(
    "SELECT to_regclass('cash_flow_total') IS NOT NULL AS stored",
  )
  if (!rows[0]?.stored) return undefined
  const columns = await columnsOf(client, 'net_cash')
  return {
    table: 'net_cash',
    key: ['user_address', 'chain_id', 'entity_type', 'entity_id'],
    columns,
    rows: `SELECT ${columns} FROM cash_flow_total`,
  }
}

// Two tables may have the same columns in another order.
async function columnsOf(client: Queryable, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  return rows[0]?.columns ?? ''
}
