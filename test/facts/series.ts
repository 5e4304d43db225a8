import { markets, pools, tokens, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

const { ann, cat, gus } = users
const RANGE = {
  DAY: ['2025-02-27', '2025-03-06'],
  WEEK: ['2025-02-20', '2025-04-02'],
  MONTH: ['2025-01-15', '2025-04-30'],
}
const UNIT = { DAY: 'day', WEEK: 'week', MONTH: 'month' }
type Interval = keyof typeof RANGE
const intervals = Object.keys(RANGE) as Interval[]

/**
 * Every bucket of the range with its last distribution date: the program's, whoever the series is
 * of.
 */
const buckets = (interval: Interval) => `(
  SELECT start::date, (SELECT count(DISTINCT date) FROM scored WHERE date_trunc('${UNIT[interval]}', date) = start) AS dates,
    (SELECT max(date) FROM scored WHERE date_trunc('${UNIT[interval]}', date) = start) AS last
  FROM generate_series(date_trunc('${UNIT[interval]}', timestamp '${RANGE[interval][0]}'), timestamp '${RANGE[interval][1]}',
    '1 ${UNIT[interval]}') start) b`
const args = (interval: Interval) =>
  `interval: ${interval}, from: "${RANGE[interval][0]}", to: "${RANGE[interval][1]}"`

const BUCKET = 'start lastDate distributionCount points positionCount'
const AMOUNTS = 'suppliedUsd protectedUsd borrowedUsd'
const LEVELS = `${AMOUNTS} userCount tvlUsd`
/** Flows are sums over the bucket; levels those of its last date, null in a gap. */
const bucket = (
  interval: Interval,
  rows: string,
  condition = 'true',
) => `b.start, b.last AS "lastDate",
  b.dates AS "distributionCount",
  (SELECT coalesce(sum(points), 0) FROM ${rows} WHERE ${condition} AND date_trunc('${UNIT[interval]}', date) = b.start) AS points,
  CASE WHEN last IS NOT NULL THEN (SELECT count(*) FROM ${rows} WHERE ${condition} AND date = last) END AS "positionCount"`
const amounts = (rows: string, condition: string) =>
  AMOUNTS.split(' ')
    .map(
      (name) =>
        `CASE WHEN last IS NOT NULL THEN (SELECT coalesce(sum("${name}"::numeric), 0) FROM ${rows}
          WHERE ${condition} AND date = last) END AS "${name}"`,
    )
    .join(', ')
/** The amounts of one token in whole tokens and in USD. */
const TOKENS =
  'supplied { raw value usd } protected { value } borrowed { value usd } liquidity { value usd } utilization'
const ofToken = (rows: string, condition: string) => {
  const sum = (value: string) =>
    `(SELECT coalesce(sum(${value}::text::numeric), 0) FROM ${rows} WHERE ${condition} AND date = last)`
  const level = (sql: string, name: string) =>
    `CASE WHEN last IS NOT NULL THEN ${sql} END AS "${name}"`
  const value = (sql: string, name: string) => level(`trim_scale(${sql})::text`, `${name}.value`)
  /** What is left in each side of a pool, at least nothing. */
  const liquid = (
    supplied: string,
    borrowed: string,
  ) => `(SELECT coalesce(sum(greatest(lent, 0)), 0) FROM (
      SELECT sum(${supplied}::text::numeric) - sum(${borrowed}::text::numeric) AS lent
      FROM ${rows} WHERE ${condition} AND date = last GROUP BY pool, side) one)`
  return [
    'NULL AS "supplied.raw"',
    ...['supplied', 'protected', 'borrowed'].map((name) => value(sum(name), name)),
    value(liquid('supplied', 'borrowed'), 'liquidity'),
    ...['supplied', 'borrowed'].map((name) => level(sum(`"${name}Usd"`), `${name}.usd`)),
    level(liquid('"suppliedUsd"', '"borrowedUsd"'), 'liquidity.usd'),
    level(`${sum('"borrowedUsd"')} / nullif(${sum('"suppliedUsd"')}, 0)`, 'utilization'),
  ].join(', ')
}

/** The same of many users: how many they are, and what they supply and borrow. */
const many = (
  interval: Interval,
  condition = 'true',
  rows = 'scored',
) => `${bucket(interval, rows, condition)},
  ${amounts(rows, condition)},
  CASE WHEN last IS NOT NULL THEN (SELECT count(DISTINCT "user") FROM ${rows} WHERE ${condition} AND date = last) END
    AS "userCount",
  CASE WHEN last IS NOT NULL THEN (SELECT coalesce(sum("suppliedUsd"::numeric + "protectedUsd"::numeric), 0) FROM ${rows}
    WHERE ${condition} AND date = last) END AS "tvlUsd"`

/** What each pool, chain or token has in total over the range, those with the most points first. */
const grouped = (
  rows: string,
  key: string,
  columns: string,
) => `SELECT ${columns}, sum(points) AS points FROM ${rows}
  WHERE date BETWEEN '2025-03-01' AND '2025-03-31' GROUP BY ${key} ORDER BY sum(points) DESC, ${key}`
const GROUPED = 'interval: MONTH, from: "2025-03-01", to: "2025-03-01", first: 100'

const rewardsUsd = (kind: string, interval: Interval) => `(SELECT CASE WHEN count(*) = 0 THEN 0
    ELSE sum("liquidRewardUsd"::numeric) END FROM ${kind}_liquidation_rewards
  WHERE "accountId" = '${ann}' AND date_trunc('${UNIT[interval]}', to_timestamp(timestamp)) = b.start)`

const seizedIn = (interval: Interval) => `liquidations WHERE borrower = '${users.dan}'
  AND date_trunc('${UNIT[interval]}', to_timestamp(timestamp)) = b.start`

const BEST_TOKEN = `chain = 146 AND asset = (SELECT asset FROM sides WHERE chain = 146 GROUP BY asset
  ORDER BY sum(points) DESC LIMIT 1)`

export const seriesFacts: Fact[] = [
  ...intervals.flatMap((interval): Fact[] => [
    {
      name: `a user's series, each ${interval}`,
      query: `user(address: "${cat}") { series(${args(interval)}) { ${BUCKET} } }`,
      at: 'user.series',
      sql: `SELECT ${bucket(interval, 'scored', `"user" = '${cat}'`)} FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `a user's liquidation rewards, each ${interval}`,
      query: `user(address: "${ann}") { series(${args(interval)}) { start liquidationRewardCount
        marketLiquidationRewardsUsd vaultLiquidationRewardsUsd } }`,
      at: 'user.series',
      sql: `SELECT b.start, (SELECT count(*) FROM (SELECT "accountId", timestamp FROM market_liquidation_rewards
            UNION ALL SELECT "accountId", timestamp FROM vault_liquidation_rewards) r WHERE "accountId" = '${ann}'
            AND date_trunc('${UNIT[interval]}', to_timestamp(timestamp)) = b.start) AS "liquidationRewardCount",
          ${rewardsUsd('market', interval)} AS "marketLiquidationRewardsUsd",
          ${rewardsUsd('vault', interval)} AS "vaultLiquidationRewardsUsd"
        FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `a borrower's liquidations, each ${interval}`,
      query: `user(address: "${users.dan}") { series(${args(interval)}) { start liquidationCount collateralSeizedUsd } }`,
      at: 'user.series',
      sql: `SELECT b.start, (SELECT count(*) FROM ${seizedIn(interval)}) AS "liquidationCount",
          (SELECT CASE WHEN count(*) = 0 THEN 0 ELSE sum("collateralSeizedUsd"::numeric) END FROM ${seizedIn(interval)})
            AS "collateralSeizedUsd"
        FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `a pool's series, each ${interval}`,
      query: `pool(address: "${pools.eth}") { series(${args(interval)}) { ${BUCKET} ${LEVELS} } }`,
      at: 'pool.series',
      sql: `SELECT ${many(interval, `pool = '${pools.eth}'`)} FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `a market's series, each ${interval}: its side of its pool`,
      query: `market(chainId: 1, address: "${markets.usdc}") { series(${args(interval)}) { ${BUCKET} ${LEVELS} ${TOKENS} } }`,
      at: 'market.series',
      sql: `SELECT ${many(interval, `pool = '${pools.eth}' AND asset = '${tokens.usdc}'`, 'sides')},
        ${ofToken('sides', `pool = '${pools.eth}' AND asset = '${tokens.usdc}'`)} FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `an asset's series, each ${interval}: its sides of all pools on its chain`,
      query: `asset(chainId: 1, address: "${tokens.usdc}") { series(${args(interval)}) { ${BUCKET} ${AMOUNTS} ${TOKENS} } }`,
      at: 'asset.series',
      sql: `SELECT ${bucket(interval, 'sides', `chain = 1 AND asset = '${tokens.usdc}'`)}, ${amounts('sides', `chain = 1 AND asset = '${tokens.usdc}'`)},
        ${ofToken('sides', `chain = 1 AND asset = '${tokens.usdc}'`)} FROM ${buckets(interval)} ORDER BY start`,
    },
    {
      name: `the program's series, each ${interval}`,
      query: `program { series(${args(interval)}) { ${BUCKET} ${LEVELS} } }`,
      at: 'program.series',
      sql: `SELECT ${many(interval)} FROM ${buckets(interval)} ORDER BY start`,
    },
  ]),
  {
    name: 'a pool has amounts of two tokens: its buckets have them in USD alone',
    query: `pool(address: "${pools.eth}") { series(from: "2025-03-03", to: "2025-03-05") { supplied { value usd } liquidity { value usd } } }`,
    at: 'pool.series',
    sql: `SELECT NULL AS "supplied.value", CASE WHEN d <> '2025-03-04' THEN coalesce(sum(supplied), 0) END AS "supplied.usd",
        NULL AS "liquidity.value",
        CASE WHEN d <> '2025-03-04' THEN coalesce(sum(greatest(supplied - borrowed, 0)), 0) END AS "liquidity.usd"
      FROM generate_series(date '2025-03-03', '2025-03-05', '1 day') d LEFT JOIN (
        SELECT date, side, sum("suppliedUsd"::numeric) AS supplied, sum("borrowedUsd"::numeric) AS borrowed FROM sides
        WHERE pool = '${pools.eth}' GROUP BY date, side) s ON s.date = d
      GROUP BY d ORDER BY d`,
  },
  {
    name: 'a user without a position has zeros, and nulls in gaps',
    query: `user(address: "${gus}") { series(${args('WEEK')}) { ${BUCKET} } }`,
    at: 'user.series',
    sql: `SELECT ${bucket('WEEK', 'scored', `"user" = '${gus}'`)} FROM ${buckets('WEEK')} ORDER BY start`,
  },
  {
    name: 'series by pool, those with the most points first',
    query: `series(groupBy: POOL, ${GROUPED}) { key { chainId pool { address name } } points }`,
    at: 'series',
    sql: grouped(
      'scored JOIN pools o ON o.id = pool',
      'pool, chain, name',
      'pool AS "key.pool.address", chain AS "key.chainId", name AS "key.pool.name"',
    ),
  },
  {
    name: 'series by chain',
    query: `series(groupBy: CHAIN, ${GROUPED}) { key { chainId } points }`,
    at: 'series',
    sql: grouped('scored', 'chain', 'chain AS "key.chainId"'),
  },
  {
    name: 'series by token, of each chain its own',
    query: `series(groupBy: ASSET, ${GROUPED}) { key { asset { address } chainId } points }`,
    at: 'series',
    sql: grouped('sides', 'asset, chain', 'asset AS "key.asset.address", chain AS "key.chainId"'),
  },
  {
    name: "a token's buckets have its sides alone",
    query: `series(groupBy: ASSET, chainId: 146, first: 1, ${args('WEEK')}) { buckets { ${BUCKET} ${AMOUNTS} ${TOKENS} } }`,
    at: 'series.buckets',
    sql: `SELECT ${bucket('WEEK', 'sides', BEST_TOKEN)}, ${amounts('sides', BEST_TOKEN)}, ${ofToken('sides', BEST_TOKEN)} FROM ${buckets('WEEK')} ORDER BY start`,
  },
  {
    name: 'the buckets of a chain',
    query: `series(groupBy: CHAIN, chainId: 1, ${args('MONTH')}) { buckets { ${BUCKET} ${AMOUNTS} } }`,
    at: 'series.buckets',
    sql: `SELECT ${bucket('MONTH', 'scored', 'chain = 1')}, ${amounts('scored', 'chain = 1')} FROM ${buckets('MONTH')} ORDER BY start`,
  },

  // The store learnt of the rates at its imports: before that, it knows none.
  {
    name: "a market's rates are not known before the store learnt of them",
    query: `market(chainId: 1, address: "${markets.same}") { rateSeries: aprSeries(from: "2025-03-01", to: "2025-03-02") { start depositRate: depositApr borrowRate: borrowApr } }`,
    at: 'market.rateSeries',
    sql: `SELECT d::date AS start, NULL AS "depositRate", NULL AS "borrowRate"
      FROM generate_series(date '2025-03-01', date '2025-03-02', '1 day') d`,
  },
  {
    name: "a market's rates are now those that were imported, on its own chain",
    query: `market(chainId: 42161, address: "${markets.same}") { rateSeries: aprSeries(from: "2200-03-01", to: "2200-03-01") { depositRate: depositApr borrowRate: borrowApr } }`,
    at: 'market.rateSeries',
    sql: `SELECT "depositRate", "borrowRate" FROM markets WHERE id = '${markets.same}' AND "chainId" = 42161`,
  },
  {
    name: "a vault's rates have no borrow rate",
    query: `vault(chainId: 42161, address: "${vaults.same}") { rateSeries: aprSeries(from: "2200-03-01", to: "2200-03-01") { depositRate: depositApr borrowRate: borrowApr } }`,
    at: 'vault.rateSeries',
    sql: `SELECT "depositRate", NULL AS "borrowRate" FROM vaults WHERE id = '${vaults.same}' AND "chainId" = 42161`,
  },
]
