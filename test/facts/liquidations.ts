import { pools, users } from './data.ts'
import type { Fact } from './fact.ts'

const { ann, ben, cat, dan } = users

const ROW = `chainId txHash logIndex time user { address } liquidator { address } pool { name } debtMarket { address }
  collateralMarket { address } debtRepaid { raw usd } collateralSeized { raw usd }`
const row = `l."chainId", "txHash", "logIndex", to_timestamp(timestamp) AS time, borrower AS "user.address",
  liquidator AS "liquidator.address", (SELECT name FROM pools WHERE id = "poolId") AS "pool.name",
  "debtMarketId" AS "debtMarket.address", "collateralMarketId" AS "collateralMarket.address",
  "debtRepaid"::text AS "debtRepaid.raw", "debtRepaidUsd" AS "debtRepaid.usd",
  "collateralSeized"::text AS "collateralSeized.raw", "collateralSeizedUsd" AS "collateralSeized.usd"`
const NEWEST = 'timestamp DESC, "logIndex" DESC, "txHash", l."chainId", borrower'

/** Rewards of both kinds, by their transaction. */
const REWARDS = `(SELECT "chainId", "txHash", "logIndex", timestamp, "accountId", 'MARKET' AS type,
    "collateralMarketId" AS collateral FROM market_liquidation_rewards
  UNION ALL SELECT "chainId", "txHash", "logIndex", timestamp, "accountId", 'VAULT', NULL FROM vault_liquidation_rewards) r`

const filters: Record<string, string> = {
  [`users: "${cat}"`]: `borrower = '${cat}'`,
  [`users: ["${dan}", "${cat}"], liquidators: "${users.hal}"`]: `liquidator = '${users.hal}'`,
  [`users: "${dan}", pools: ["${pools.eth}"]`]: `borrower = '${dan}' AND "poolId" = '${pools.eth}'`,
  'time: { gte: "2025-03-01", lt: "2025-03-10" }, chainIds: 42161':
    'timestamp BETWEEN 1740787200 AND 1741564799 AND "chainId" = 42161',
  'time: { gte: "2025-03-01", lt: "2025-03-10" }, debtRepaidUsd: { gte: 7 }':
    'timestamp BETWEEN 1740787200 AND 1741564799 AND "debtRepaidUsd" >= 7',
}

/** Who was liquidated by whom, and what it leads to. */
export const liquidationFacts: Fact[] = [
  {
    name: 'the liquidations of all borrowers, newest first',
    query: `liquidations { nodes { ${ROW} } }`,
    at: 'liquidations.nodes',
    sql: `SELECT ${row} FROM liquidations l ORDER BY ${NEWEST}`,
  },
  {
    name: "a borrower's liquidations",
    query: `user(address: "${dan}") { liquidations { totalCount nodes { ${ROW} } } }`,
    at: 'user.liquidations.nodes',
    sql: `SELECT ${row} FROM liquidations l WHERE borrower = '${dan}' ORDER BY ${NEWEST}`,
    total: `SELECT count(*) FROM liquidations WHERE borrower = '${dan}'`,
  },
  {
    name: "a pool's liquidations, largest debt first",
    query: `pool(address: "${pools.eth}") { liquidations(orderBy: DEBT_REPAID_USD, orderDirection: DESC) { totalCount nodes { ${ROW} } } }`,
    at: 'pool.liquidations.nodes',
    sql: `SELECT ${row} FROM liquidations l WHERE "poolId" = '${pools.eth}'
      ORDER BY "debtRepaidUsd" DESC NULLS LAST, ${NEWEST}`,
    total: `SELECT count(*) FROM liquidations WHERE "poolId" = '${pools.eth}'`,
  },
  ...Object.entries(filters).map(
    ([where, condition]): Fact => ({
      name: `liquidations where ${where}`,
      query: `liquidations(where: { ${where} }) { totalCount nodes { txHash logIndex chainId } }`,
      at: 'liquidations.nodes',
      sql: `SELECT "txHash", "logIndex", "chainId" FROM liquidations l WHERE ${condition} ORDER BY ${NEWEST}`,
      total: `SELECT count(*) FROM liquidations WHERE ${condition}`,
    }),
  ),
  {
    name: 'a liquidation leads to the rewards of its transaction',
    query: `user(address: "${dan}") { liquidations { nodes { rewards { nodes { txHash userAddress entityType } } } } }`,
    at: 'user.liquidations.nodes.rewards.nodes',
    sql: `SELECT r."txHash", "accountId" AS "userAddress", type AS "entityType"
      FROM liquidations l JOIN ${REWARDS} USING ("chainId", "txHash") WHERE borrower = '${dan}'
      ORDER BY l.timestamp DESC, l."logIndex" DESC, r.timestamp DESC, r."logIndex" DESC, "accountId", type`,
  },
  ...[ann, ben].map(
    (user): Fact => ({
      name: `a reward of ${user} leads to the liquidation of its collateral, or to the first`,
      query: `user(address: "${user}") { liquidationRewards { nodes { txHash liquidation { logIndex user { address } } } } }`,
      at: 'user.liquidationRewards.nodes',
      sql: `SELECT r."txHash", l."logIndex" AS "liquidation.logIndex", l.borrower AS "liquidation.user.address"
        FROM ${REWARDS} LEFT JOIN LATERAL (SELECT * FROM liquidations l
          WHERE l."chainId" = r."chainId" AND l."txHash" = r."txHash"
          ORDER BY CASE WHEN "collateralMarketId" = collateral THEN 0 ELSE 1 END, "logIndex" LIMIT 1) l ON true
        WHERE "accountId" = '${user}' ORDER BY r.timestamp DESC, r."logIndex" DESC, r."txHash", r."chainId", type`,
    }),
  ),
]
