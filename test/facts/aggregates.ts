import { wholeTokens } from './analytics.ts'
import { markets, pools, tokens, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

const { ann, ben, cat, dan, eve, fay } = users
const MARCH = 'date: { gte: "2025-03-01", lte: "2025-03-31" }'
const inMarch = `date BETWEEN '2025-03-01' AND '2025-03-31'`
const day = `to_timestamp(timestamp)::date`
const every = `users: ["${ann}", "${ben}", "${cat}", "${dan}", "${eve}", "${fay}", "${users.gus}", "${users.hal}"]`

/** A sum's fields, of which the tokens are null in groups that mix tokens. */
const SUM = '{ raw decimals value usd }'
const title = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
interface Tokens {
  raw?: string
  decimals?: string
  value?: string
}
/** The sum and the average of a column of USD, and the tokens of the sum. */
const sumOf = (
  name: string,
  column: string,
  { raw = 'NULL', decimals = 'NULL', value = 'NULL' }: Tokens = {},
) => {
  const sum = `sum${title(name)}`
  return `sum("${column}"::numeric) AS "${sum}.usd", avg("${column}"::numeric) AS "average${title(name)}Usd",
    ${raw} AS "${sum}.raw", ${decimals} AS "${sum}.decimals", ${value} AS "${sum}.value"`
}

const amounts = ['supplied', 'protected', 'borrowed']
const POSITIONS = `count userCount sumPoints averagePoints
  ${amounts.map((one) => `sum${title(one)} ${SUM} average${title(one)}Usd`).join(' ')}`
/** Sums of positions, or of sides, which are of one token and so have amounts. */
const sums = (
  tokens = false,
) => `count(*), count(DISTINCT "user") AS "userCount", sum(points) AS "sumPoints",
  round(avg(points), 6) AS "averagePoints", ${amounts
    .map((one) =>
      sumOf(
        one,
        `${one}Usd`,
        tokens ? { value: `trim_scale(sum(${one}::text::numeric))::text` } : {},
      ),
    )
    .join(', ')}`

const inMarkets = { supplied: 'collateral', protected: 'protected', borrowed: 'debt' }
const MARKETS = `count userCount ${Object.keys(inMarkets)
  .map((one) => `sum${title(one)} ${SUM} average${title(one)}Usd`)
  .join(' ')}`
/** @param decimals SQL of the token's decimals in groups of one token */
const marketSums = (decimals?: string) =>
  `count(*), count(DISTINCT "accountId") AS "userCount", ${Object.entries(inMarkets)
    .map(([name, column]) => {
      const sum = `sum("${column}Assets")`
      const tokens = decimals && {
        raw: `${sum}::text`,
        decimals: `min(${decimals})`,
        value: wholeTokens(sum, `min(${decimals})`),
      }
      return sumOf(name, `${column}Usd`, tokens || {})
    })
    .join(', ')}`

const ofRewards = ['supplySent', 'collateralReceived', 'liquidReward']
const REWARDS = `count userCount claimedCount ${ofRewards.map((one) => `sum${title(one)} ${SUM} average${title(one)}Usd`).join(' ')}`
/** @param decimals SQL of the decimals of the collateral in groups of one token */
const rewardSums = (decimals?: string) =>
  `count(*), count(DISTINCT "accountId") AS "userCount", count("claimedTimestamp") AS "claimedCount",
  ${ofRewards
    .map((one) => {
      const sum = `sum("${one}")`
      const isKnown = decimals && one !== 'supplySent'
      return sumOf(
        one,
        `${one}Usd`,
        isKnown ? { raw: `${sum}::text`, decimals, value: wholeTokens(sum, decimals) } : {},
      )
    })
    .join(', ')}`
const rewards = `(SELECT "chainId", "accountId", timestamp, "claimedTimestamp", "supplySent", "supplySentUsd", "collateralReceivedUsd",
    "liquidRewardUsd", "collateralReceived", "liquidReward", "collateralMarketId" AS market, NULL AS vault
  FROM market_liquidation_rewards UNION ALL
  SELECT "chainId", "accountId", timestamp, "claimedTimestamp", "supplySent", "supplySentUsd", "collateralReceivedUsd",
    "liquidRewardUsd", "collateralReceived", "liquidReward", NULL, "vaultId" FROM vault_liquidation_rewards) r`

export const aggregateFacts: Fact[] = [
  {
    name: 'all positions of a month are one group',
    query: `positionAggregates(where: { ${MARCH} }) { ${POSITIONS} }`,
    at: 'positionAggregates',
    sql: `SELECT ${sums()} FROM scored WHERE ${inMarch}`,
  },
  {
    name: 'a group without a row has a count of 0, sums of 0 and no averages',
    query: `positionAggregates(where: { users: ["${users.gus}"] }) { count userCount sumPoints averagePoints sumSupplied { usd } }`,
    at: 'positionAggregates',
    sql: `SELECT count(*), count(*) AS "userCount", coalesce(sum(points), 0) AS "sumPoints", round(avg(points), 6) AS "averagePoints",
      coalesce(sum("suppliedUsd"), 0) AS "sumSupplied.usd" FROM scored WHERE "user" = '${users.gus}'`,
  },
  ...(
    [
      ['DAY', 'date', 'start', 'start'],
      ['WEEK', `date_trunc('week', date)::date`, 'start', 'start'],
      ['MONTH', `date_trunc('month', date)::date`, 'start', 'start'],
      ['CHAIN', 'chain', 'chainId', 'chainId'],
      ['USER', '"user"', 'user { address }', 'user.address'],
    ] as const
  ).map(([groupBy, key, selection, column]) => ({
    name: `positions by ${groupBy}`,
    query: `positionAggregates(groupBy: [${groupBy}], where: { ${every} }) { key { ${selection} } ${POSITIONS} }`,
    at: 'positionAggregates',
    sql: `SELECT ${key} AS "key.${column}", ${sums()} FROM scored GROUP BY 1 ORDER BY 1`,
  })),
  {
    name: 'positions by POOL',
    query: `positionAggregates(groupBy: [POOL], where: { ${MARCH} }) { key { chainId pool { address displayName } } ${POSITIONS} }`,
    at: 'positionAggregates',
    sql: `SELECT pool AS "key.pool.address", chain AS "key.chainId",
        concat_ws('·', asset_1_symbol, asset_2_symbol, "marketId") AS "key.pool.displayName", ${sums()}
      FROM scored s JOIN pools o ON o.id = pool WHERE ${inMarch} GROUP BY 1, 2, 3 ORDER BY 1`,
  },
  {
    name: 'positions by token: their sides, with amounts, on each chain',
    query: `positionAggregates(groupBy: [ASSET], where: { ${MARCH} }) { key { asset { address } chainId } ${POSITIONS} }`,
    at: 'positionAggregates',
    sql: `SELECT asset AS "key.asset.address", chain AS "key.chainId", ${sums(true)} FROM sides WHERE ${inMarch}
      GROUP BY 1, 2 ORDER BY 1, 2`,
    unordered: true,
  },
  {
    name: 'the ranking of a pool in a week',
    query: `positionAggregates(groupBy: [USER], orderBy: SUM_POINTS, orderDirection: DESC, first: 3,
      where: { pools: "${pools.eth}", date: { gte: "2025-02-24", lte: "2025-03-02" } }) { key { user { address } } sumPoints count }`,
    at: 'positionAggregates',
    sql: `SELECT "user" AS "key.user.address", sum(points) AS "sumPoints", count(*) FROM scored
      WHERE pool = '${pools.eth}' AND date BETWEEN '2025-02-24' AND '2025-03-02'
      GROUP BY 1 ORDER BY sum(points) DESC, 1 LIMIT 3`,
  },
  {
    name: 'groups of two kinds, by two numbers, a page of them',
    query: `positionAggregates(groupBy: [USER, MONTH], orderBy: [COUNT, SUM_BORROWED_USD], orderDirection: [DESC, ASC],
      offset: 2, first: 5, where: { ${every} }) { key { user { address } start } count sumBorrowed { usd } }`,
    at: 'positionAggregates',
    sql: `SELECT "user" AS "key.user.address", date_trunc('month', date)::date AS "key.start", count(*),
        sum("borrowedUsd") AS "sumBorrowed.usd" FROM scored GROUP BY 1, 2
      ORDER BY count(*) DESC, sum("borrowedUsd"), 1, 2 OFFSET 2 LIMIT 5`,
  },
  {
    name: 'of positions with a token, the sides of it alone',
    query: `positionAggregates(where: { assets: "${tokens.usdc}", chainIds: 1, ${MARCH} }) { count sumPoints sumSupplied { usd } }`,
    at: 'positionAggregates',
    sql: `SELECT count(*), sum(points) AS "sumPoints", sum("suppliedUsd"::numeric) AS "sumSupplied.usd"
      FROM sides WHERE chain = 1 AND asset = '${tokens.usdc}' AND ${inMarch}`,
  },
  {
    name: 'market snapshots by market: amounts add up, prices that are missing are left out',
    query: `snapshotAggregates(groupBy: [ENTITY], where: { entityTypes: MARKET, ${every} }) { key { chainId entity { address asset { symbol } } } ${MARKETS} }`,
    at: 'snapshotAggregates',
    sql: `SELECT "marketId" AS "key.entity.address", s."chainId" AS "key.chainId", "assetSymbol" AS "key.entity.asset.symbol",
        ${marketSums('m."assetDecimals"')} FROM market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId"
      GROUP BY 1, 2, 3`,
    unordered: true,
  },
  {
    name: 'market snapshots by token',
    query: `snapshotAggregates(groupBy: [ASSET], where: { entityTypes: MARKET, ${every} }) { key { asset { address } chainId } ${MARKETS} }`,
    at: 'snapshotAggregates',
    sql: `SELECT "assetAddress" AS "key.asset.address", s."chainId" AS "key.chainId", ${marketSums('m."assetDecimals"')}
      FROM market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId" GROUP BY 1, 2`,
    unordered: true,
  },
  ...(['ENTITY', 'ASSET'] as const).map(
    (group): Fact => ({
      name: `sums of market snapshots in whole tokens, by ${group}`,
      query: `snapshotAggregates(groupBy: [${group}], orderBy: COUNT, orderDirection: DESC, where: { entityTypes: MARKET, ${every} }) { sumSupplied { value } sumBorrowed { value } }`,
      at: 'snapshotAggregates',
      sql: `SELECT ${wholeTokens('sum("collateralAssets")', 'm."assetDecimals"')} AS "sumSupplied.value",
          ${wholeTokens('sum("debtAssets")', 'm."assetDecimals"')} AS "sumBorrowed.value"
        FROM market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId"
        GROUP BY s."chainId", ${group === 'ENTITY' ? '"marketId"' : '"assetAddress"'}, m."assetDecimals"`,
      unordered: true,
    }),
  ),
  {
    name: 'sums in whole tokens are null in groups that mix tokens',
    query: `snapshotAggregates(groupBy: [USER], where: { entityTypes: MARKET, users: ["${ann}"] }) { sumSupplied { value } sumBorrowed { value } }`,
    at: 'snapshotAggregates',
    sql: 'SELECT NULL AS "sumSupplied.value", NULL AS "sumBorrowed.value"',
  },
  {
    name: 'market snapshots by date and user, within dates',
    query: `snapshotAggregates(groupBy: [DAY, USER], where: { entityTypes: MARKET, ${every}, time: { gte: "2025-03-02", lt: "2025-03-10" } }) {
      key { start user { address } } ${MARKETS} }`,
    at: 'snapshotAggregates',
    sql: `SELECT ${day} AS "key.start", "accountId" AS "key.user.address", ${marketSums()} FROM market_snapshots
      WHERE ${day} BETWEEN '2025-03-02' AND '2025-03-09' GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    name: 'market snapshots of all users on one day',
    query: `snapshotAggregates(groupBy: [ENTITY], where: { entityTypes: MARKET, time: { gte: "2025-03-02", lt: "2025-03-03" } }) {
      key { chainId entity { address } } ${MARKETS} }`,
    at: 'snapshotAggregates',
    sql: `SELECT "marketId" AS "key.entity.address", s."chainId" AS "key.chainId", ${marketSums('m."assetDecimals"')}
      FROM market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId"
      WHERE ${day} = '2025-03-02' GROUP BY 1, 2`,
    unordered: true,
  },
  {
    name: 'market snapshots by week: it begins on Monday',
    query: `snapshotAggregates(groupBy: [WEEK], where: { entityTypes: MARKET, users: ["${dan}"] }) { key { start } count averageBorrowedUsd }`,
    at: 'snapshotAggregates',
    sql: `SELECT date_trunc('week', ${day})::date AS "key.start", count(*), avg("debtUsd"::numeric) AS "averageBorrowedUsd"
      FROM market_snapshots WHERE "accountId" = '${dan}' GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'groups without a number are last, no matter the direction',
    query: `snapshotAggregates(groupBy: [ENTITY, DAY], orderBy: [AVERAGE_BORROWED_USD, COUNT], orderDirection: [ASC, DESC],
      where: { entityTypes: MARKET, users: ["${ann}", "${dan}", "${users.gus}"] }) { averageBorrowedUsd count }`,
    at: 'snapshotAggregates',
    sql: `SELECT avg("debtUsd"::numeric) AS "averageBorrowedUsd", count(*) FROM market_snapshots
      WHERE "accountId" IN ('${ann}', '${dan}', '${users.gus}') GROUP BY "marketId", "chainId", ${day}
      ORDER BY 1 NULLS LAST, 2 DESC`,
  },
  {
    name: 'market snapshots of a market on a chain',
    query: `snapshotAggregates(where: { entityTypes: MARKET, entities: "${markets.same}", chainIds: 42161, time: { gte: "2025-03-01", lt: "2025-04-02" } }) { ${MARKETS} }`,
    at: 'snapshotAggregates',
    sql: `SELECT ${marketSums()} FROM market_snapshots WHERE "marketId" = '${markets.same}' AND "chainId" = 42161`,
  },
  {
    name: 'vault snapshots by vault',
    query: `snapshotAggregates(groupBy: [ENTITY], where: { entityTypes: VAULT, ${every} }) { key { chainId entity { address name } } count
      userCount sumSupplied { raw usd } sumShares averageSuppliedUsd }`,
    at: 'snapshotAggregates',
    sql: `SELECT "vaultId" AS "key.entity.address", s."chainId" AS "key.chainId", v.name AS "key.entity.name", count(*),
        count(DISTINCT "accountId") AS "userCount", sum(assets)::text AS "sumSupplied.raw", sum(shares)::text AS "sumShares",
        sum("assetsUsd"::numeric) AS "sumSupplied.usd", avg("assetsUsd"::numeric) AS "averageSuppliedUsd"
      FROM vault_snapshots s JOIN vaults v ON v."chainId" = s."chainId" AND v.id = "vaultId" GROUP BY 1, 2, 3`,
    unordered: true,
  },
  {
    name: 'vault snapshots by token have no sum of shares',
    query: `snapshotAggregates(groupBy: [ASSET], where: { entityTypes: VAULT, ${every} }) { key { asset { address } chainId } count sumSupplied { raw } sumShares }`,
    at: 'snapshotAggregates',
    sql: `SELECT "assetAddress" AS "key.asset.address", s."chainId" AS "key.chainId", count(*), sum(assets)::text AS "sumSupplied.raw",
        NULL AS "sumShares" FROM vault_snapshots s JOIN vaults v ON v."chainId" = s."chainId" AND v.id = "vaultId" GROUP BY 1, 2`,
    unordered: true,
  },
  {
    name: 'vault snapshots of a vault in a window, by user',
    query: `snapshotAggregates(groupBy: [USER], orderBy: SUM_SUPPLIED_USD, orderDirection: DESC,
      where: { entityTypes: VAULT, entities: "${vaults.same}", time: { gte: "2025-03-02", lt: "2025-03-03" } }) { key { user { address } } sumSupplied { usd raw } }`,
    at: 'snapshotAggregates',
    sql: `SELECT "accountId" AS "key.user.address", sum("assetsUsd"::numeric) AS "sumSupplied.usd", NULL AS "sumSupplied.raw"
      FROM vault_snapshots WHERE "vaultId" = '${vaults.same}' AND ${day} = '2025-03-02'
      GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1`,
  },
  {
    name: 'liquidation rewards of both kinds are one group',
    query: `liquidationRewardAggregates(where: { time: { gte: "2025-01-01", lt: "2026-01-01" } }) { ${REWARDS} }`,
    at: 'liquidationRewardAggregates',
    sql: `SELECT ${rewardSums()} FROM ${rewards}`,
  },
  {
    name: 'liquidation rewards by user, the most first',
    query: `liquidationRewardAggregates(groupBy: [USER], orderBy: SUM_LIQUID_REWARD_USD, orderDirection: DESC, where: { ${every} }) {
      key { user { address } } ${REWARDS} }`,
    at: 'liquidationRewardAggregates',
    sql: `SELECT "accountId" AS "key.user.address", ${rewardSums()} FROM ${rewards} GROUP BY 1
      ORDER BY sum("liquidRewardUsd"::numeric) DESC NULLS LAST, 1`,
  },
  {
    name: 'liquidation rewards by collateral market add amounts up exactly',
    query: `liquidationRewardAggregates(groupBy: [ENTITY], where: { entityTypes: MARKET, entities: "${markets.same}", ${every} }) {
      key { entity { address } chainId } ${REWARDS} }`,
    at: 'liquidationRewardAggregates',
    sql: `SELECT market AS "key.entity.address", "chainId" AS "key.chainId",
        ${rewardSums(`(SELECT "assetDecimals" FROM markets m WHERE m.id = '${markets.same}' AND m."chainId" = r."chainId")`)}
      FROM ${rewards} WHERE market = '${markets.same}' GROUP BY 1, 2`,
    unordered: true,
  },
  {
    name: 'liquidation rewards by vault and month',
    query: `liquidationRewardAggregates(groupBy: [ENTITY, MONTH], where: { entityTypes: VAULT, entities: "${vaults.same}", ${every} }) {
      key { entity { address } chainId start } ${REWARDS} }`,
    at: 'liquidationRewardAggregates',
    sql: `SELECT vault AS "key.entity.address", "chainId" AS "key.chainId", date_trunc('month', ${day})::date AS "key.start",
        ${rewardSums()} FROM ${rewards} WHERE vault = '${vaults.same}' GROUP BY 1, 2, 3`,
    unordered: true,
  },
]
