import type { Queryable } from '../../db/write.ts'
import { sized } from '../holding/holding.ts'
import type { EntityType } from '../holding/place.ts'
import { worthRows } from '../holding/refresh-worth.ts'

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
    rows: `SELECT ${columns} FROM (${sized(
      kind,
      `SELECT * FROM (
        SELECT *, max(timestamp) OVER (PARTITION BY user_address, chain_id, ${kind}_id) AS newest
        FROM ${kind}_snapshot) s
      WHERE timestamp = newest`,
    )}) s`,
  }
}

/** The worth and debt of users, by their newest snapshots. */
export const WORTH: DerivedTable = {
  table: 'user_worth',
  key: ['user_address'],
  columns: 'user_address, worth_usd, debt_usd',
  rows: worthRows((kind) => `${kind}_holding s`),
}

/**
 * The totals of what users have put into markets and vaults, and of what liquidations took. None
 * for a store without triggers, which sums them up when they are read.
 */
export async function totalsTables(client: Queryable): Promise<DerivedTable[]> {
  const { rows } = await client.query<{ stored: boolean }>(
    "SELECT to_regclass('cash_flow_total') IS NOT NULL AS stored",
  )
  if (!rows[0]?.stored) return []
  return [
    await totalsTable(client, 'net_cash', 'cash_flow_total'),
    await totalsTable(client, 'net_liquidation', 'liquidation_total'),
  ]
}

async function totalsTable(client: Queryable, table: string, view: string): Promise<DerivedTable> {
  const columns = await columnsOf(client, table)
  const key = ['user_address', 'chain_id', 'entity_type', 'entity_id']
  return { table, key, columns, rows: `SELECT ${columns} FROM ${view}` }
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
