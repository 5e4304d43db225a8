import { tokens, users } from './data.ts'
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
const GIVEN = SHOCKS.map(([asset, change]) => `{ asset: "${asset}", change: ${change} }`)
const AFTER = `${RISKS}, shocked AS (
    SELECT s.*, id, health, pool, a_collateral + b_collateral AS collateral, a_debt + b_debt AS debt,
      (CASE WHEN a_collateral > 0 THEN a_collateral * fa * a_limit ELSE 0 END
        + CASE WHEN b_collateral > 0 THEN b_collateral * fb * b_limit ELSE 0 END) / (a_debt * fa + b_debt * fb) AS after
    FROM (VALUES ${SHOCKS.map(([token, change], n) => `(${n}, '${token}', ${change}::numeric)`)}) s(n, token, change)
    CROSS JOIN risk CROSS JOIN LATERAL (SELECT CASE token WHEN "aTokenAddress" THEN 1 + change ELSE 1 END AS fa,
      CASE token WHEN "bTokenAddress" THEN 1 + change ELSE 1 END AS fb) f)
`
const SUMS = `count(*) FILTER (WHERE after <= 1) AS "positionCount",
    coalesce(sum(collateral) FILTER (WHERE after <= 1), 0) AS "collateralUsd",
    coalesce(sum(debt) FILTER (WHERE after <= 1), 0) AS "debtUsd",
    count(*) FILTER (WHERE after IS NULL) AS "unknownPositionCount",
    coalesce(sum(debt) FILTER (WHERE after IS NULL), 0) AS "unknownDebtUsd"`
const SHOCKED = `${AFTER}
  SELECT token AS asset, NULL AS "group", change, ${SUMS}
  FROM shocked GROUP BY n, token, change ORDER BY n`
const SHOCKED_POOLS = `${AFTER}
  SELECT token AS asset, change, pool AS "poolAddress", ${SUMS}
  FROM shocked WHERE after <= 1 OR after IS NULL
  GROUP BY n, token, change, pool ORDER BY n, 6 DESC, pool`

export const riskFacts: Fact[] = [
  {
    name: 'in all pools, what a change of one price liquidates',
    query: `collateralAtRisk(shocks: [${GIVEN}]) {
      asset group change positionCount collateralUsd debtUsd unknownPositionCount unknownDebtUsd }`,
    at: 'collateralAtRisk',
    sql: SHOCKED,
  },
  {
    name: 'in each pool, what a change of one price liquidates',
    query: `poolsAtRisk(shocks: [${GIVEN}]) {
      asset change poolAddress positionCount collateralUsd debtUsd unknownPositionCount unknownDebtUsd }`,
    at: 'poolsAtRisk',
    sql: SHOCKED_POOLS,
  },
  ...SHOCKS.map(
    ([asset, change], n): Fact => ({
      name: `the positions that a change of ${asset} by ${change} liquidates`,
      query: `currentPositions(first: 1000, shock: { asset: "${asset}", change: ${change} }, orderBy: HEALTH_FACTOR) { totalCount nodes { legacy { recordId } healthFactor } }`,
      at: 'currentPositions.nodes',
      sql: `${AFTER} SELECT id AS "legacy.recordId", health AS "healthFactor" FROM shocked WHERE n = ${n} AND after <= 1 ORDER BY health, id`,
      total: `${AFTER} SELECT count(*) FROM shocked WHERE n = ${n} AND after <= 1`,
    }),
  ),
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
