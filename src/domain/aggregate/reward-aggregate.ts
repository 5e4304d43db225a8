import { conditionOf } from 'pothos-sql/host'
import { exact } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { liquidationRewards } from '../liquidation/reward.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded } from './bounds.ts'
import { DATE } from './snapshot-aggregate.ts'

const { from, filters, columns } = liquidationRewards

// A sum of collateral. Its tokens are those of rewards in a market: the collateral of a vault's
// rewards is not known.
const collateral = (name: string, column: string, what: string) =>
  sumAndAverage(name, what, {
    usd: exact(`${column}_usd`),
    unpriced: true,
    tokens: {
      only: ['ENTITY'],
      raw: column,
      decimals: 't.decimals',
      of: (sum) => `CASE WHEN min(t.entity_type) = 'market' THEN ${sum} END`,
    },
  })

/** Users' shares of liquidation rewards: of markets (by collateral market) and of vaults. */
export const rewardAggregate: Aggregate = {
  rows(where) {
    assertBounded(where, 'time', { dates: 366 })
    return Prisma.sql`SELECT t.*, ${Prisma.raw(columns.collateralDecimals.sql)} AS decimals
      FROM ${from}
      WHERE ${conditionOf(filters, where)}`
  },
  groups: {
    ...byTime(DATE),
    ENTITY: { marketId: columns.marketId.sql, vaultId: columns.vaultId.sql, chainId: 't.chain_id' },
    CHAIN: { chainId: 't.chain_id' },
    USER: { userAddress: 't.user_address' },
  },
  measures: {
    count: count("Number of users' shares of liquidation rewards."),
    userCount: count('Number of distinct users.', 'count(DISTINCT t.user_address)::int'),
    claimedCount: count(
      'Number of claimed shares.',
      '(count(*) FILTER (WHERE t.claimed_timestamp IS NOT NULL))::int',
    ),
    ...collateral('LiquidReward', 't.liquid_reward', 'rewards'),
    ...sumAndAverage('SupplySent', "amounts repaid by users' shares", {
      usd: exact('t.supply_sent_usd'),
      unpriced: true,
    }),
    ...collateral(
      'CollateralReceived',
      't.collateral_received',
      "collateral received by users' shares",
    ),
  },
}
