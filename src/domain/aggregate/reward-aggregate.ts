import { exact } from '../../db/lists/exact-sum.ts'
import { conditionOf } from '../../db/lists/filter.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { rewardFilters } from '../liquidation/reward.ts'
import { type Aggregate, byTime, count, sumAndAverage, sumOfTokens } from './aggregate.ts'
import { assertBounded } from './bounds.ts'
import { DATE } from './snapshot-aggregate.ts'

const columns = (
  debt: string,
  market: string,
  vault: string,
) => `SELECT t.account_id, t.chain_id, t.timestamp, t.tx_hash,
  t.log_index, t.supply_sent_usd, t.collateral_received, t.collateral_received_usd, t.liquid_reward, t.liquid_reward_usd,
  t.claimed_timestamp, ${debt} AS debt_market_id, ${market} AS market_id, ${vault} AS vault_id`
const rewards = Prisma.raw(`(
  ${columns('t.debt_market_id', 't.collateral_market_id', 'NULL::text')} FROM market_liquidation_reward t UNION ALL
  ${columns('NULL::text', 'NULL::text', 't.vault_id')} FROM vault_liquidation_reward t)`)
const claimed = 't.claimed_timestamp IS NOT NULL'

/** Users' shares of liquidation rewards: of markets (by collateral market) and of vaults. */
export const rewardAggregate: Aggregate = {
  rows(where) {
    assertBounded(where, 'time', { dates: 366 })
    return Prisma.sql`SELECT t.* FROM ${rewards} t WHERE ${conditionOf(rewardFilters, where)}`
  },
  groups: {
    ...byTime(DATE),
    MARKET: { marketAddress: 't.market_id', chainId: 't.chain_id' },
    VAULT: { vaultAddress: 't.vault_id', chainId: 't.chain_id' },
    CHAIN: { chainId: 't.chain_id' },
    USER: { userAddress: 't.account_id' },
  },
  measures: {
    count: count("Number of users' shares of liquidation rewards."),
    userCount: count('Number of distinct users.', 'count(DISTINCT t.account_id)::int'),
    claimedCount: count('Number of claimed shares.', `(count(*) FILTER (WHERE ${claimed}))::int`),
    ...sumAndAverage('LiquidRewardUsd', exact('t.liquid_reward_usd'), 'rewards, in USD', true),
    ...sumAndAverage('SupplySentUsd', exact('t.supply_sent_usd'), "amounts repaid by users' shares, in USD", true),
    ...sumAndAverage(
      'CollateralReceivedUsd',
      exact('t.collateral_received_usd'),
      "collateral received by users' shares, in USD",
      true,
    ),
    sumLiquidReward: {
      ...sumOfTokens('liquid_reward', 'rewards, in the smallest unit of the collateral token', ['MARKET']),
      sql: 'sum(t.liquid_reward) FILTER (WHERE t.market_id IS NOT NULL)',
    },
    sumCollateralReceived: {
      ...sumOfTokens(
        'collateral_received',
        "collateral received by users' shares, in the smallest unit of the collateral token",
        ['MARKET'],
      ),
      sql: 'sum(t.collateral_received) FILTER (WHERE t.market_id IS NOT NULL)',
    },
  },
}
