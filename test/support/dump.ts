import type { Pool } from 'pg'
import { onCitus } from './gateway.ts'

/** What the store holds, with an order of its rows. */
export const tables = {
  user: 'user_address',
  pool: 'id',
  multiplier: 'pool_address',
  market: 'chain_id, id',
  vault: 'chain_id, id',
  asset_price: 'chain_id, asset_address, date',
  token: 'chain_id, address',
  token_pair: 'key',
  stored_position: 'user_address, distribution_date, pool_key',
  distribution: 'date',
  pool_day: 'pool_address, distribution_date',
  pool_total: 'pool_address',
  account_day: 'user_address, distribution_date',
  account: 'rank',
  program: 'id',
  market_snapshot: 'user_address, chain_id, market_id, timestamp, position_id',
  vault_snapshot: 'user_address, chain_id, vault_id, timestamp, position_id',
  market_holding: 'user_address, chain_id, market_id, position_id',
  vault_holding: 'user_address, chain_id, vault_id, position_id',
  vault_day: 'chain_id, vault_id, date',
  user_worth: 'user_address',
  market_liquidation_reward: 'chain_id, tx_hash, log_index, user_address',
  vault_liquidation_reward: 'chain_id, tx_hash, log_index, user_address',
  liquidation: 'chain_id, tx_hash, log_index, user_address',
  cash_flow: 'chain_id, tx_hash, log_index, user_address',
  net_cash: 'user_address, chain_id, entity_type, entity_id',
  net_liquidation: 'user_address, chain_id, entity_type, entity_id',
  data_version: 'id',
}

/**
 * The version of a row in its table, by which what has been rewritten shows. A cluster has none.
 */
const VERSION = onCitus ? '' : 'ctid, '
/** The stored tables: net cash and liquidations are views of a cluster. */
export const storedTables = Object.keys(tables).filter(
  (table) => !(onCitus && table.startsWith('net_')),
)

/** Every row of the store with its version. Records of runs are apart. */
export async function everything(pool: Pool): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const [table, order] of Object.entries(tables)) {
    const which = table === 'data_version' ? 'WHERE id = 1' : ''
    all[table] = (
      await pool.query(`SELECT ${VERSION}t.* FROM "${table}" t ${which} ORDER BY ${order}`)
    ).rows
  }
  return all
}

/** The records of runs and of multipliers, and the version of the data that they raise. */
export async function records(pool: Pool): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const table of ['run', 'multiplier_revision', 'data_version'])
    all[table] = (await pool.query(`SELECT ${VERSION}t.* FROM ${table} t ORDER BY id`)).rows
  return all
}

/** Removes positions and what follows from them, and multipliers. */
export async function emptyProgram(pool: Pool): Promise<void> {
  const all = [
    'stored_position',
    'token_pair',
    'distribution',
    'rank_history',
    'rank_history_date',
    'pool_day',
    'pool_total',
    'account_day',
    'account',
    'multiplier',
  ]
  await pool.query(`${all.map((table) => `DELETE FROM ${table}`).join('; ')};
    UPDATE program SET total_points = 0, account_count = 0, position_count = 0`)
}
