import { markets, pools, tokens, users } from './data.ts'
import type { Fact } from './fact.ts'

/**
 * The positions of the newest date. What is supplied on a side is the collateral of a debt on the
 * other side. The threshold of a pool's market is that of the market's address on the pool's chain.
 */
const RISKS = `WITH held AS (
    SELECT p.*, "aSuppliedAmountUsd"::numeric + "aProtectedSuppliedAmountUsd"::numeric AS a_supply,
      "bSuppliedAmountUsd"::numeric + "bProtectedSuppliedAmountUsd"::numeric AS b_supply,
      "aBorrowedAmountUsd"::numeric AS a_debt, "bBorrowedAmountUsd"::numeric AS b_debt,
      (SELECT m."liquidationThreshold"::numeric FROM markets m WHERE m.id = o.unit_1_id AND m."chainId" = o."chainId") AS a_limit,
      (SELECT m."liquidationThreshold"::numeric FROM markets m WHERE m.id = o.unit_2_id AND m."chainId" = o."chainId") AS b_limit,
      o.unit_1_id AS a_market, o.unit_2_id AS b_market
    FROM scored p JOIN pools o ON o.id = p.pool WHERE date = (SELECT max(date) FROM scored)),
  backed AS (
    SELECT *, CASE WHEN b_debt > 0 THEN a_supply ELSE 0 END AS a_collateral, CASE WHEN a_debt > 0 THEN b_supply ELSE 0 END AS b_collateral
    FROM held WHERE a_debt > 0 OR b_debt > 0),
  rated AS (
    SELECT *, (CASE WHEN a_collateral > 0 THEN a_collateral * a_limit ELSE 0 END
      + CASE WHEN b_collateral > 0 THEN b_collateral * b_limit ELSE 0 END) / (a_debt + b_debt) AS health FROM backed),
  risk AS (SELECT *, 1 - 1 / nullif(health, 0) AS fall FROM rated)`

const DROPS = [0.3, 0.02, 0.9, 1]
const atRisk = (condition: string, collateral: string, debt: string) => `${RISKS}
  SELECT d.drop, CASE WHEN known > 0 OR unknown = 0 THEN fallen END AS "positionCount",
    CASE WHEN known > 0 OR unknown = 0 THEN coalesce(fallen_collateral, 0) END AS "collateralUsd",
    CASE WHEN known > 0 OR unknown = 0 THEN coalesce(fallen_debt, 0) END AS "debtUsd",
    unknown AS "unknownPositionCount", coalesce(unknown_collateral, 0) AS "unknownCollateralUsd",
    coalesce(unknown_debt, 0) AS "unknownDebtUsd"
  FROM unnest(ARRAY[${DROPS}]::float8[]) WITH ORDINALITY d(drop, n) CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE health IS NOT NULL) AS known, count(*) FILTER (WHERE health IS NULL) AS unknown,
      count(*) FILTER (WHERE health = 0 OR fall <= d.drop) AS fallen,
      sum(${collateral}) FILTER (WHERE health = 0 OR fall <= d.drop) AS fallen_collateral,
      sum(${debt}) FILTER (WHERE health = 0 OR fall <= d.drop) AS fallen_debt,
      sum(${collateral}) FILTER (WHERE health IS NULL) AS unknown_collateral,
      sum(${debt}) FILTER (WHERE health IS NULL) AS unknown_debt
    FROM risk WHERE ${condition}) r ORDER BY n`
const AT_RISK = `collateralAtRisk(drops: [${DROPS}]) {
  drop positionCount collateralUsd debtUsd unknownPositionCount unknownCollateralUsd unknownDebtUsd }`

const ROW =
  'legacy { recordId } healthFactor liquidationDrop liquidationPriceUsd liquidationDebtPriceUsd liquidationRatio'
const COLUMNS = `id AS "legacy.recordId", health AS "healthFactor", fall AS "liquidationDrop",
  CASE WHEN a_debt > 0 AND b_debt = 0 THEN "bTokenPrice"::numeric WHEN a_debt = 0 AND b_debt > 0 THEN "aTokenPrice"::numeric END
    / nullif(health, 0) AS "liquidationPriceUsd",
  CASE WHEN a_debt > 0 AND b_debt = 0 THEN "aTokenPrice"::numeric WHEN a_debt = 0 AND b_debt > 0 THEN "bTokenPrice"::numeric END
    * nullif(health, 0) AS "liquidationDebtPriceUsd",
  CASE WHEN a_debt > 0 AND b_debt = 0 THEN "bTokenPrice"::numeric / "aTokenPrice"::numeric
    WHEN a_debt = 0 AND b_debt > 0 THEN "aTokenPrice"::numeric / "bTokenPrice"::numeric END
    / nullif(health, 0) AS "liquidationRatio"`

/** One token's price changes, and those of all others stay. */
const SHOCKS: [token: string, change: number][] = [
  [tokens.eth, -0.3],
  [tokens.eth, 2],
  [tokens.usdc, 0.4],
  [tokens.usdc, -0.5],
]
const SHOCKED = `${RISKS}, shocked AS (
    SELECT s.*, a_collateral + b_collateral AS collateral, a_debt + b_debt AS debt,
      (CASE WHEN a_collateral > 0 THEN a_collateral * fa * a_limit ELSE 0 END
        + CASE WHEN b_collateral > 0 THEN b_collateral * fb * b_limit ELSE 0 END) / (a_debt * fa + b_debt * fb) AS after
    FROM (VALUES ${SHOCKS.map(([token, change], n) => `(${n}, '${token}', ${change}::numeric)`)}) s(n, token, change)
    CROSS JOIN risk CROSS JOIN LATERAL (SELECT CASE token WHEN "aTokenAddress" THEN 1 + change ELSE 1 END AS fa,
      CASE token WHEN "bTokenAddress" THEN 1 + change ELSE 1 END AS fb) f)
  SELECT token AS asset, NULL AS "group", change, count(*) FILTER (WHERE after <= 1) AS "positionCount",
    coalesce(sum(collateral) FILTER (WHERE after <= 1), 0) AS "collateralUsd",
    coalesce(sum(debt) FILTER (WHERE after <= 1), 0) AS "debtUsd",
    count(*) FILTER (WHERE after IS NULL) AS "unknownPositionCount",
    coalesce(sum(debt) FILTER (WHERE after IS NULL), 0) AS "unknownDebtUsd"
  FROM shocked GROUP BY n, token, change ORDER BY n`

export const riskFacts: Fact[] = [
  {
    name: 'in a market, those whose collateral is its token',
    query: `market(chainId: 1, address: "${markets.same}") { ${AT_RISK} }`,
    at: 'market.collateralAtRisk',
    sql: atRisk(
      `pool = '${pools.eth}' AND a_market = '${markets.same}' AND b_debt > 0`,
      'a_collateral',
      'b_debt',
    ),
  },
  {
    name: 'in the market of the other side too',
    query: `market(chainId: 1, address: "${markets.usdc}") { ${AT_RISK} }`,
    at: 'market.collateralAtRisk',
    sql: atRisk(
      `pool = '${pools.eth}' AND b_market = '${markets.usdc}' AND a_debt > 0`,
      'b_collateral',
      'a_debt',
    ),
  },
  {
    name: 'in all pools, what a change of one price liquidates',
    query: `collateralAtRisk(shocks: [${SHOCKS.map(([asset, change]) => `{ asset: "${asset}", change: ${change} }`)}]) {
      asset group change positionCount collateralUsd debtUsd unknownPositionCount unknownDebtUsd }`,
    at: 'collateralAtRisk',
    sql: SHOCKED,
  },
  ...Object.entries(users).map(
    ([name, address]): Fact => ({
      name: `the lowest health of ${name}`,
      query: `user(address: "${address}") { lowestHealthFactor }`,
      at: 'user',
      sql: `${RISKS} SELECT min(health) AS "lowestHealthFactor" FROM risk WHERE "user" = '${address}'`,
    }),
  ),
  {
    name: 'the positions that a fall of 90 % liquidates, those that fall first before the others',
    query: `currentPositions(first: 1000, where: { liquidationDrop: { lte: 0.9 } }, orderBy: LIQUIDATION_DROP) { totalCount nodes { ${ROW} } }`,
    at: 'currentPositions.nodes',
    sql: `${RISKS} SELECT ${COLUMNS} FROM risk WHERE fall <= 0.9 ORDER BY fall, date DESC, id`,
    total: `${RISKS} SELECT count(*) FROM risk WHERE fall <= 0.9`,
  },
  {
    name: 'of these, those whose debt a token backs',
    query: `currentPositions(first: 1000, where: { liquidationDrop: { lte: 0.999 }, collateralAssets: "${tokens.eth}" }) { nodes { ${ROW} } }`,
    at: 'currentPositions.nodes',
    sql: `${RISKS} SELECT ${COLUMNS} FROM risk WHERE fall <= 0.999
      AND ('${tokens.eth}' = "aTokenAddress" AND a_collateral > 0 OR '${tokens.eth}' = "bTokenAddress" AND b_collateral > 0) ORDER BY id`,
  },
]
