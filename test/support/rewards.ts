import { sampleMarket, samplePool, sampleUser } from '../../src/sample/index.ts'
import type { Gateway } from './gateway.ts'

/**
 * Rewards, many at one moment and of one log index, so that every column of their order decides
 * somewhere.
 */
export async function addRewards({ deps: { store } }: Gateway): Promise<void> {
  for (const [table, columns, values] of [
    ['market_liquidation_reward', 'debt_market_id, collateral_market_id', '$1::text, $1'],
    ['vault_liquidation_reward', 'vault_id', '$1::text'],
  ])
    await store.pool.query(
      `INSERT INTO ${table} (${columns}, user_address, chain_id, tx_hash, log_index, timestamp, supply_sent,
        collateral_received, liquid_reward)
      SELECT ${values}, $2::text, chain, '0x' || repeat(md5(tx || ' ' || time), 2), log, time, 1, 1, 1
      FROM generate_series(1, 2) chain, generate_series(1, 3) tx, generate_series(9, 11) log,
        unnest(ARRAY[7, 8, 9223372036854775807]) time`,
      [sampleMarket.address, sampleUser],
    )
}

/** Liquidations of the same transactions, in the sample's pool. */
export async function addLiquidations({ deps: { store } }: Gateway): Promise<void> {
  await store.pool.query(
    `INSERT INTO liquidation (chain_id, tx_hash, log_index, user_address, timestamp, liquidator,
      pool_address, debt_market_id, collateral_market_id, debt_repaid, debt_repaid_usd,
      collateral_seized, collateral_seized_usd)
    SELECT chain, '0x' || repeat(md5(tx || ' ' || time), 2), log, $2::text, time, $2,
      $3::text, $1::text, $1, log, nullif(log, 10) * 1.5, tx, tx
    FROM generate_series(1, 2) chain, generate_series(1, 3) tx, generate_series(9, 11) log,
      unnest(ARRAY[7, 8, 9223372036854775807]) time`,
    [sampleMarket.address, sampleUser, samplePool.address],
  )
}
