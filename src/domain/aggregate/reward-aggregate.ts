import { exact } from '../../db/lists/exact-sum.ts'
import { conditionOf } from '../../db/lists/filter.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { rewardFilters } from '../liquidation/reward.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded } from './bounds.ts'
import { DATE } from './snapshot-aggregate.ts'

const DECIMALS =
  '(SELECT e.asset_decimals FROM market e WHERE e.chain_id = t.chain_id AND e.id = t.collateral_market_id)'
const columns = (
  debt: string,
  market: string,
  vault: string,
  decimals: string,
) => `SELECT t.account_id, t.chain_id, t.timestamp, t.tx_hash,
  t.log_index, t.supply_sent_usd, t.collateral_received, t.collateral_received_usd, t.liquid_reward, t.liquid_reward_usd,
  t.claimed_timestamp, ${debt} AS debt_market_id, ${market} AS market_id, ${vault} AS vault_id, ${decimals} AS decimals`
const rewards = Prisma.raw(`(
  ${columns('t.debt_market_id', 't.collateral_market_id', 'NULL::text', DECIMALS)} FROM market_liquidation_reward t UNION ALL
  ${columns('NULL::text', 'NULL::text', 't.vault_id', 'NULL::int')} FROM vault_liquidation_reward t)`)
const claimed = 't.claimed_timestamp IS NOT NULL'

/** A sum of collateral. Its tokens are those of rewards in a market: the collateral of a vault's rewards is not known. */
const collateral = (name: string, column: string, what: string) =>
  sumAndAverage(name, what, {
    usd: exact(`${column}_usd`),
    unpriced: true,
    tokens: {
      only: ['MARKET'],
      raw: column,
      decimals: 't.decimals',
      of: (sum) => `CASE WHEN t.market_id IS NOT NULL THEN ${sum} END`,
    },
  })

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
    ...collateral('LiquidReward', 't.liquid_reward', 'rewards'),
    ...sumAndAverage('SupplySent', "amounts repaid by users' shares", {
      usd: exact('t.supply_sent_usd'),
      unpriced: true,
    }),
    ...collateral('CollateralReceived', 't.collateral_received', "collateral received by users' shares"),
  },
}
