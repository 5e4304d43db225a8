import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Aggregate, byTime, count, sumAndAverage, sumsOfTokens } from './aggregate.ts'
import { assertBounded } from './bounds.ts'
import { between, DATE } from './snapshot-aggregate.ts'

const MAX_DATES = 366

const columns = (
  market: string,
  vault: string,
  decimals: string,
) => `t.account_id, t.chain_id, t.timestamp, t.tx_hash, t.log_index,
  t.supply_sent_usd, t.collateral_received, t.collateral_received_usd, t.liquid_reward, t.liquid_reward_usd,
  t.claimed_timestamp, ${market} AS market_id, ${vault} AS vault_id, ${decimals} AS decimals`
const DECIMALS =
  '(SELECT e.asset_decimals FROM market e WHERE e.chain_id = t.chain_id AND e.id = t.collateral_market_id)'
const claimed = 't.claimed_timestamp IS NOT NULL'

/** The sums of a column of collateral, of the rewards in a market: the collateral of a vault's rewards is not known. */
const sumsOfCollateral = (names: readonly [string, string], column: string, what: string) =>
  Object.fromEntries(
    Object.entries(sumsOfTokens(names, column, what, ['MARKET'], 't.decimals')).map(([name, { sql, ...measure }]) => [
      name,
      { ...measure, sql: `CASE WHEN t.market_id IS NOT NULL THEN ${sql} END` },
    ]),
  )

/** Users' shares of liquidation rewards: of markets (by collateral market) and of vaults. */
export const rewardAggregate: Aggregate = {
  rows(filter) {
    assertBounded(filter, MAX_DATES, `give users, or from and to at most ${MAX_DATES} dates apart`)
    const where = between(filter)
    if (filter.users) where.push(Prisma.sql`t.account_id = ANY(${filter.users}::text[])`)
    if (typeof filter.chainId === 'number') where.push(Prisma.sql`t.chain_id = ${filter.chainId}::bigint`)
    const market = Prisma.sql`SELECT ${Prisma.raw(columns('t.collateral_market_id', 'NULL', DECIMALS))} FROM market_liquidation_reward t
      WHERE ${Prisma.join([...where, ...(filter.market ? [Prisma.sql`t.collateral_market_id = ${filter.market}`] : [])], ' AND ')}`
    const vault = Prisma.sql`SELECT ${Prisma.raw(columns('NULL', 't.vault_id', 'NULL'))} FROM vault_liquidation_reward t
      WHERE ${Prisma.join([...where, ...(filter.vault ? [Prisma.sql`t.vault_id = ${filter.vault}`] : [])], ' AND ')}`
    if (filter.market && !filter.vault) return market
    if (filter.vault && !filter.market) return vault
    return Prisma.sql`${market} UNION ALL ${vault}`
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
    ...sumsOfCollateral(['sumLiquidReward', 'sumLiquidRewardAmount'], 'liquid_reward', 'rewards'),
    ...sumsOfCollateral(
      ['sumCollateralReceived', 'sumCollateralReceivedAmount'],
      'collateral_received',
      "collateral received by users' shares",
    ),
  },
}
