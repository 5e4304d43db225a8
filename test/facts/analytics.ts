import { markets, nobody, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

/** Snapshots, liquidation rewards, earnings and net APR of users. */

const { ann, ben, cat, dan, gus } = users
const of = (user: string, selection: string) => `user(address: "${user}") { ${selection} }`

const MARKET_ROW = `chainId entityType entityAddress userAddress positionId legacy { timestamp } time
  supplied { raw usd } protected { raw usd } borrowed { raw usd }`
const marketRow = `"chainId", 'MARKET' AS "entityType", "marketId" AS "entityAddress", "accountId" AS "userAddress", "positionId",
  timestamp::text AS "legacy.timestamp", to_timestamp(timestamp) AS time,
  "collateralAssets"::text AS "supplied.raw", "collateralUsd" AS "supplied.usd", "protectedAssets"::text AS "protected.raw",
  "protectedUsd" AS "protected.usd", "debtAssets"::text AS "borrowed.raw", "debtUsd" AS "borrowed.usd"`
const VAULT_ROW =
  'chainId entityAddress userAddress positionId legacy { timestamp } time shares supplied { raw usd }'
const vaultRow = `"chainId", "vaultId" AS "entityAddress", "accountId" AS "userAddress", "positionId",
  timestamp::text AS "legacy.timestamp", to_timestamp(timestamp) AS time,
  shares::text, assets::text AS "supplied.raw", "assetsUsd" AS "supplied.usd"`
const REWARD_ROW = `chainId txHash logIndex legacy { timestamp claimedTimestamp } time userAddress supplySent { raw usd }
  collateralReceived { raw usd } liquidReward { raw usd } userRoi claimedAt`
const rewardRow = `"chainId", "txHash", "logIndex", timestamp::text AS "legacy.timestamp", to_timestamp(timestamp) AS time, "accountId" AS "userAddress", "supplySent"::text AS "supplySent.raw",
  "supplySentUsd" AS "supplySent.usd", "collateralReceived"::text AS "collateralReceived.raw",
  "collateralReceivedUsd" AS "collateralReceived.usd", "liquidReward"::text AS "liquidReward.raw",
  "liquidRewardUsd" AS "liquidReward.usd",
  "userRoi", "claimedTimestamp"::text AS "legacy.claimedTimestamp", to_timestamp("claimedTimestamp") AS "claimedAt"`

/** True of a market's snapshot if the price of an amount other than 0 is missing. */
const UNPRICED = `"collateralUsd" IS NULL AND "collateralAssets" > 0 OR "protectedUsd" IS NULL AND "protectedAssets" > 0
      OR "debtUsd" IS NULL AND "debtAssets" > 0`

/**
 * What each entity of some users is worth now, with the money that they put in: a row for each
 * entity.
 */
const earningsOf = (...accounts: string[]) => `(
  SELECT type, chain, entity, sum(value) AS value, sum(cash) AS cash, bool_or(incomplete) AS incomplete FROM (
    SELECT 'MARKET' AS type, "chainId" AS chain, "marketId" AS entity,
      coalesce("collateralUsd", 0)::numeric + coalesce("protectedUsd", 0)::numeric - coalesce("debtUsd", 0)::numeric AS value,
      0 AS cash, ${UNPRICED} AS incomplete, "accountId"
    FROM now_in_markets
    UNION ALL SELECT 'VAULT', "chainId", "vaultId", coalesce("assetsUsd", 0)::numeric, 0, "assetsUsd" IS NULL AND assets > 0, "accountId"
    FROM now_in_vaults
    UNION ALL SELECT upper("entityType"), "chainId", "entityId", 0,
      CASE WHEN kind IN ('deposit', 'repay') THEN 1 ELSE -1 END * coalesce("amountUsd", 0)::numeric,
      "amountUsd" IS NULL AND assets IS DISTINCT FROM 0, "accountId" FROM cash_flows) rows
  WHERE "accountId" IN ('${accounts.join("', '")}') GROUP BY type, chain, entity) e`
/** A user's newest snapshots in each market or vault up to a time in Unix seconds. */
const newestBy = (
  kind: 'market' | 'vault',
  time: number,
) => `(SELECT s.* FROM ${kind}_snapshots s WHERE timestamp = (
    SELECT max(o.timestamp) FROM ${kind}_snapshots o WHERE (o."accountId", o."chainId", o."${kind}Id")
      = (s."accountId", s."chainId", s."${kind}Id") AND o.timestamp <= ${time})) newest`
/** The same as \`earningsOf\`, from what was before or at a moment. */
const earningsBy = (account: string, moment: string) => {
  const time = Math.floor(Date.parse(moment) / 1000)
  return earningsOf(account)
    .replace('now_in_markets', newestBy('market', time))
    .replace('now_in_vaults', newestBy('vault', time))
    .replace('cash_flows)', `cash_flows WHERE timestamp <= ${time})`)
}
/**
 * What a user holds in each market and vault: a row for each of the newest snapshots, of all time
 * or up to a moment.
 */
const holdings = (moment?: string) => {
  const newest = (kind: 'market' | 'vault') =>
    moment ? newestBy(kind, Math.floor(Date.parse(moment) / 1000)) : `now_in_${kind}s`
  return `(SELECT "accountId", "chainId" AS chain, timestamp, coalesce("collateralUsd", 0)::numeric AS supplied,
      coalesce("protectedUsd", 0)::numeric AS secured, coalesce("debtUsd", 0)::numeric AS borrowed, 0 AS in_vault,
      ${UNPRICED} AS unpriced FROM ${newest('market')}
    UNION ALL SELECT "accountId", "chainId", timestamp, 0, 0, 0, coalesce("assetsUsd", 0)::numeric,
      "assetsUsd" IS NULL AND assets > 0 FROM ${newest('vault')})`
}
/** A user's snapshots and cash flows in each market and vault, which one text names. */
const held = (user: string) => `(SELECT 'market ' || "chainId" || "marketId" AS entity, timestamp,
    coalesce("collateralUsd", 0)::numeric + coalesce("protectedUsd", 0)::numeric - coalesce("debtUsd", 0)::numeric AS value,
    ${UNPRICED} AS unpriced FROM market_snapshots WHERE "accountId" = '${user}'
  UNION ALL SELECT 'vault ' || "chainId" || "vaultId", timestamp, coalesce("assetsUsd", 0)::numeric,
    "assetsUsd" IS NULL AND assets > 0 FROM vault_snapshots WHERE "accountId" = '${user}')`
const flows = (
  user: string,
) => `(SELECT "entityType" || ' ' || "chainId" || "entityId" AS entity, timestamp,
    CASE WHEN kind IN ('deposit', 'repay') THEN 1 ELSE -1 END * coalesce("amountUsd", 0)::numeric AS cash,
    "amountUsd" IS NULL AND assets IS DISTINCT FROM 0 AS unpriced FROM cash_flows WHERE "accountId" = '${user}')`
const entities = (user: string) =>
  `(SELECT entity FROM ${held(user)} h UNION SELECT entity FROM ${flows(user)} f)`
const WORTH =
  'worth { time netUsd suppliedUsd protectedUsd borrowedUsd vaultsUsd hasIncompletePrices }'
/** The sums of holdings. All are null without any. */
const worth = `to_timestamp(max(timestamp)) AS "worth.time", sum(supplied + secured - borrowed + in_vault) AS "worth.netUsd",
  sum(supplied) AS "worth.suppliedUsd", sum(secured) AS "worth.protectedUsd", sum(borrowed) AS "worth.borrowedUsd",
  sum(in_vault) AS "worth.vaultsUsd",
  bool_or(unpriced) AS "worth.hasIncompletePrices"`
const everyone = [...Object.values(users), nobody]
/** Around midnight, when there are snapshots and cash flows. */
const MOMENTS = [
  '2025-02-28T23:59:59.999Z',
  '2025-03-01T00:00:00Z',
  '2025-03-01T23:59:59.999Z',
  '2025-03-02T00:00:00Z',
]
/**
 * What users realised in each entity by average cost, up to now or a moment. What went out cost its
 * part of what went in: of the deposits, and of the supply at the start of a period. A debt is the
 * same the other way round: a repayment pays its part of what was borrowed.
 */
const realisedOf = (user: string, from?: string, to?: string) => {
  const time = (moment: string) => Math.floor(Date.parse(moment) / 1000)
  const amounts = (moment?: string) => `
    SELECT 'MARKET' AS type, "chainId" AS chain, "marketId" AS entity, coalesce("collateralUsd", 0)::numeric + coalesce("protectedUsd", 0)::numeric AS supply,
      coalesce("debtUsd", 0)::numeric AS debt, ${UNPRICED} AS missing
      FROM ${moment ? newestBy('market', time(moment)) : 'now_in_markets'} WHERE "accountId" = '${user}'
    UNION ALL SELECT 'VAULT', "chainId", "vaultId", coalesce("assetsUsd", 0)::numeric, 0, "assetsUsd" IS NULL AND assets > 0
      FROM ${moment ? newestBy('vault', time(moment)) : 'now_in_vaults'} WHERE "accountId" = '${user}'`
  const flow = (kind: string) =>
    `CASE WHEN kind = '${kind}' ${from ? `AND timestamp > ${time(from)}` : ''} THEN "amountUsd"::numeric ELSE 0 END`
  return `(SELECT type, chain, entity, bool_or(missing) AS incomplete, CASE WHEN NOT bool_or(missing) THEN
      sum(withdrawn) - coalesce(sum(withdrawn) / nullif(sum(withdrawn) + sum(supply), 0), 1) * (sum(supply_before) + sum(deposited))
      - sum(repaid) + coalesce(sum(repaid) / nullif(sum(repaid) + sum(debt), 0), 1) * (sum(debt_before) + sum(borrowed)) END AS realised
    FROM (SELECT type, chain, entity, supply, debt, 0 AS supply_before, 0 AS debt_before, 0 AS deposited, 0 AS withdrawn, 0 AS borrowed, 0 AS repaid,
        missing FROM (${amounts(to)}) e
      ${from ? `UNION ALL SELECT type, chain, entity, 0, 0, supply, debt, 0, 0, 0, 0, missing FROM (${amounts(from)}) b` : ''}
      UNION ALL SELECT upper("entityType"), "chainId", "entityId", 0, 0, 0, 0, ${['deposit', 'withdraw', 'borrow', 'repay'].map((kind) => `coalesce(${flow(kind)}, 0)`).join(', ')},
        "amountUsd" IS NULL AND assets IS DISTINCT FROM 0 FROM cash_flows WHERE "accountId" = '${user}' ${to ? `AND timestamp <= ${time(to)}` : ''}) f GROUP BY type, chain, entity) r`
}
/**
 * What a user earned in tokens in each market and vault until its newest snapshot, now or by a
 * moment, and what liquidations gave and took there.
 */
const interestOf = (user: string, moment?: string) => {
  const newest = (kind: 'market' | 'vault') =>
    moment ? newestBy(kind, Math.floor(Date.parse(moment) / 1000)) : `now_in_${kind}s`
  return `(SELECT type, chain, entity, CASE WHEN tokenless = 0 THEN tokens - moved + sent END AS interest,
      CASE WHEN unpriced = 0 THEN gained END AS gained
    FROM (
      SELECT 'MARKET' AS type, "chainId" AS chain, "marketId" AS entity, max(timestamp) AS until,
        sum("collateralAssets" + "protectedAssets" - "debtAssets") AS tokens
      FROM ${newest('market')} WHERE "accountId" = '${user}' GROUP BY 2, 3
      UNION ALL SELECT 'VAULT', "chainId", "vaultId", max(timestamp), sum(assets)
      FROM ${newest('vault')} WHERE "accountId" = '${user}' GROUP BY 2, 3) h
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN kind IN ('deposit', 'repay') THEN assets ELSE -assets END), 0) AS moved,
        count(*) FILTER (WHERE assets IS NULL) AS tokenless
      FROM cash_flows WHERE "accountId" = '${user}' AND upper("entityType") = type
        AND "chainId" = chain AND "entityId" = entity AND timestamp <= until) f
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(sent), 0) AS sent, coalesce(sum(received_usd - sent_usd), 0) AS gained,
        count(*) FILTER (WHERE received_usd IS NULL AND received > 0 OR sent_usd IS NULL AND sent > 0) AS unpriced
      FROM (
        SELECT 'MARKET' AS of, "chainId", "debtMarketId" AS id, timestamp, "accountId", "supplySent" AS sent, "collateralReceived" AS received,
          "supplySentUsd"::numeric AS sent_usd, "collateralReceivedUsd"::numeric AS received_usd FROM market_liquidation_rewards
        UNION ALL SELECT 'VAULT', "chainId", "vaultId", timestamp, "accountId", "supplySent", "collateralReceived",
          "supplySentUsd"::numeric, "collateralReceivedUsd"::numeric FROM vault_liquidation_rewards) r
      WHERE "accountId" = '${user}' AND of = type AND "chainId" = chain AND id = entity AND timestamp <= until) l) i`
}
const EARNINGS_ROW =
  'entityType chainId entityAddress worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices'
const earningsRow = `type AS "entityType", chain AS "chainId", entity AS "entityAddress", value AS "worthUsd",
  cash AS "netCashInvestedUsd", value - cash AS "earningsUsd", incomplete AS "hasIncompletePrices"`

/** What each entity of some users earns and costs: a row for each entity. */
const aprOf = (...accounts: string[]) => `(
  SELECT 'MARKET' AS type, s."chainId" AS chain, "marketId" AS entity, "depositRate" AS deposit_rate,
    "borrowRate" AS borrow_rate, sum(coalesce("collateralUsd", 0)::numeric) AS deposit,
    sum(coalesce("debtUsd", 0)::numeric) AS borrow
  FROM now_in_markets s JOIN markets m ON m.id = "marketId" AND m."chainId" = s."chainId"
  WHERE "accountId" IN ('${accounts.join("', '")}') GROUP BY s."chainId", "marketId", "depositRate", "borrowRate"
  UNION ALL
  SELECT 'VAULT', s."chainId", "vaultId", "depositRate", 0, sum(coalesce("assetsUsd", 0)::numeric), 0
  FROM now_in_vaults s JOIN vaults v ON v.id = "vaultId" AND v."chainId" = s."chainId"
  WHERE "accountId" IN ('${accounts.join("', '")}') GROUP BY s."chainId", "vaultId", "depositRate") a`
/**
 * The same from what was before or at a moment. The rates were recorded once, later: they count for
 * all time.
 */
const aprBy = (account: string, moment: string) => {
  const time = Math.floor(Date.parse(moment) / 1000)
  return aprOf(account)
    .replace('now_in_markets', newestBy('market', time).replace(/newest$/, ''))
    .replace('now_in_vaults', newestBy('vault', time).replace(/newest$/, ''))
}
const APR =
  'earnNetApr: netDepositApr borrowNetApr: netBorrowApr totalEarnDepositsUsd: depositUsd totalBorrowUsd: borrowedUsd'
const apr = `coalesce(sum(deposit * deposit_rate::numeric) / nullif(sum(deposit), 0), 0) AS "earnNetApr",
  coalesce(sum(borrow * borrow_rate::numeric) / nullif(sum(borrow), 0), 0) AS "borrowNetApr",
  coalesce(sum(deposit), 0) AS "totalEarnDepositsUsd", coalesce(sum(borrow), 0) AS "totalBorrowUsd"`
const APR_ROW =
  'entityType chainId entityAddress depositRate: depositApr borrowRate: borrowApr earnDepositUsd: depositUsd borrowUsd: borrowedUsd'
const aprRow = `type AS "entityType", chain AS "chainId", entity AS "entityAddress", deposit_rate AS "depositRate",
  borrow_rate AS "borrowRate", deposit AS "earnDepositUsd", borrow AS "borrowUsd"`

/**
 * The digits of an integer with a point before the last `decimals` of them, without zeros at the
 * end.
 */
export const wholeTokens = (integer: string, decimals: string) => `(SELECT rtrim(rtrim(
    left(p, length(p) - ${decimals}) || '.' || right(p, ${decimals}), '0'), '.')
  FROM lpad(${integer}::text, greatest(length(${integer}::text), ${decimals} + 1), '0') p)`

const wallets = `addresses: ["${ann}", "${dan}", "${gus}", "${ann}"]`
const inWallets = `IN ('${ann}', '${dan}', '${gus}')`

export const analyticsFacts: Fact[] = [
  ...[ann, gus].map((user, n) => ({
    name: `the market snapshots of ${n === 0 ? 'ann' : 'gus'} have all their columns, oldest first, then by chain, market and position`,
    query: of(user, `snapshots(where: { entityTypes: MARKET }) { nodes { ${MARKET_ROW} } }`),
    at: 'user.snapshots.nodes',
    sql: `SELECT ${marketRow} FROM market_snapshots s WHERE "accountId" = '${user}'
      ORDER BY s.timestamp, "chainId", "marketId", "positionId"`,
  })),
  {
    name: 'amounts of markets are in whole tokens too',
    query: of(
      ann,
      'snapshots(where: { entityTypes: MARKET }) { nodes { supplied { value decimals } protected { value } borrowed { value } } }',
    ),
    at: 'user.snapshots.nodes',
    sql: `SELECT ${wholeTokens('"collateralAssets"', 'm."assetDecimals"')} AS "supplied.value", m."assetDecimals" AS "supplied.decimals",
        ${wholeTokens('"protectedAssets"', 'm."assetDecimals"')} AS "protected.value",
        ${wholeTokens('"debtAssets"', 'm."assetDecimals"')} AS "borrowed.value"
      FROM market_snapshots s LEFT JOIN markets m ON m."chainId" = s."chainId" AND m.id = s."marketId"
      WHERE "accountId" = '${ann}' ORDER BY s.timestamp, s."chainId", "marketId", "positionId"`,
  },
  {
    name: 'amounts of vaults are in whole tokens too, also the newest and their sums',
    query: of(
      ann,
      'legacy { vaultSnapshots(grouped: true) { nodes { supplied { value decimals } } } } latestSnapshots { supplied { value } }',
    ),
    at: 'user.legacy.vaultSnapshots.nodes',
    sql: `SELECT ${wholeTokens('sum(assets)', 'v."assetDecimals"')} AS "supplied.value", v."assetDecimals" AS "supplied.decimals"
      FROM vault_snapshots s LEFT JOIN vaults v ON v."chainId" = s."chainId" AND v.id = s."vaultId"
      WHERE "accountId" = '${ann}' GROUP BY s."chainId", s."vaultId", s.timestamp, v."assetDecimals"
      ORDER BY s.timestamp, s."chainId", "vaultId"`,
  },
  {
    name: 'amounts of rewards in markets are in whole tokens of the debt and of the collateral',
    query: of(
      ann,
      'liquidationRewards(where: { entityTypes: MARKET }) { nodes { supplySent { value } collateralReceived { value decimals } liquidReward { value } } }',
    ),
    at: 'user.liquidationRewards.nodes',
    sql: `SELECT ${wholeTokens('"supplySent"', 'd."assetDecimals"')} AS "supplySent.value",
        ${wholeTokens('"collateralReceived"', 'c."assetDecimals"')} AS "collateralReceived.value",
        c."assetDecimals" AS "collateralReceived.decimals",
        ${wholeTokens('"liquidReward"', 'c."assetDecimals"')} AS "liquidReward.value"
      FROM market_liquidation_rewards r
      LEFT JOIN markets d ON d.id = "debtMarketId" AND d."chainId" = r."chainId"
      LEFT JOIN markets c ON c.id = "collateralMarketId" AND c."chainId" = r."chainId"
      WHERE "accountId" = '${ann}' ORDER BY r.timestamp DESC, "logIndex" DESC, "txHash", r."chainId"`,
  },
  {
    name: "a portfolio's amounts in whole tokens",
    query: `portfolio(${wallets}) { entities { entityType supplied { value decimals } borrowed { value } } }`,
    at: 'portfolio.entities',
    sql: `SELECT * FROM (SELECT 'MARKET' AS "entityType", ${wholeTokens('sum("collateralAssets")', 'm."assetDecimals"')} AS "supplied.value",
          m."assetDecimals" AS "supplied.decimals", ${wholeTokens('sum("debtAssets")', 'm."assetDecimals"')} AS "borrowed.value"
        FROM now_in_markets s JOIN markets m ON m.id = "marketId" AND m."chainId" = s."chainId"
        WHERE "accountId" ${inWallets} GROUP BY s."chainId", "marketId", m."assetDecimals" ORDER BY s."chainId", "marketId") m
      UNION ALL SELECT * FROM (SELECT 'VAULT', ${wholeTokens('sum(assets)', 'v."assetDecimals"')}, v."assetDecimals", NULL
        FROM now_in_vaults s JOIN vaults v ON v.id = "vaultId" AND v."chainId" = s."chainId"
        WHERE "accountId" ${inWallets} GROUP BY s."chainId", "vaultId", v."assetDecimals" ORDER BY s."chainId", "vaultId") v`,
  },
  {
    name: 'grouped, integers add up exactly and USD skips nulls',
    query: of(ann, `legacy { marketSnapshots(grouped: true) { nodes { ${MARKET_ROW} } } }`),
    at: 'user.legacy.marketSnapshots.nodes',
    sql: `SELECT "chainId", 'MARKET' AS "entityType", "marketId" AS "entityAddress", "accountId" AS "userAddress", NULL AS "positionId", timestamp::text AS "legacy.timestamp", to_timestamp(timestamp) AS time,
        sum("collateralAssets")::text AS "supplied.raw", sum("collateralUsd"::numeric) AS "supplied.usd",
        sum("protectedAssets")::text AS "protected.raw", sum("protectedUsd"::numeric) AS "protected.usd",
        sum("debtAssets")::text AS "borrowed.raw", sum("debtUsd"::numeric) AS "borrowed.usd"
      FROM market_snapshots s WHERE "accountId" = '${ann}' GROUP BY "chainId", "marketId", "accountId", s.timestamp
      ORDER BY s.timestamp, "chainId", "marketId"`,
  },
  {
    name: 'snapshots of one market on one chain in a window that includes both ends',
    query: of(
      ann,
      `snapshots(where: { entities: "${markets.same}", chainIds: 1, time: { gte: "2025-03-01", lte: "2025-03-02" } }) { nodes { ${MARKET_ROW} } }`,
    ),
    at: 'user.snapshots.nodes',
    sql: `SELECT ${marketRow} FROM market_snapshots s WHERE "accountId" = '${ann}' AND "marketId" = '${markets.same}'
      AND "chainId" = 1 AND s.timestamp BETWEEN 1740787200 AND 1740873600 ORDER BY s.timestamp, "positionId"`,
  },
  {
    name: 'a window that ends one second earlier leaves the last ones out',
    query: of(ann, `legacy { marketSnapshots(to: "1740873599") { totalCount } }`),
    at: 'user.legacy.marketSnapshots',
    sql: `SELECT count(*) AS "totalCount" FROM market_snapshots WHERE "accountId" = '${ann}' AND timestamp < 1740873600`,
  },
  {
    name: 'a snapshot leads to its market on its chain',
    query: of(
      ann,
      'snapshots(where: { entityTypes: MARKET }) { nodes { entity { chainId asset { symbol } ... on Market { borrowRate: borrowApr pool { name } } } } }',
    ),
    at: 'user.snapshots.nodes',
    sql: `SELECT m."chainId" AS "entity.chainId", "assetSymbol" AS "entity.asset.symbol", "borrowRate" AS "entity.borrowRate",
        p.name AS "entity.pool.name" FROM market_snapshots s
      JOIN markets m ON m."chainId" = s."chainId" AND m.id = s."marketId" JOIN pools p ON p.id = "poolId"
      WHERE "accountId" = '${ann}' ORDER BY timestamp, s."chainId", s."marketId", "positionId"`,
  },
  {
    name: "a market's snapshots are those of all users, oldest first, then by account and position",
    query: `market(chainId: 1, address: "${markets.same}") { snapshots { nodes { ${MARKET_ROW} } } }`,
    at: 'market.snapshots.nodes',
    sql: `SELECT ${marketRow} FROM market_snapshots s WHERE "marketId" = '${markets.same}' AND "chainId" = 1
      ORDER BY s.timestamp, "accountId", "positionId"`,
  },
  {
    name: "a user's vault snapshots have all their columns",
    query: of(ann, `snapshots(where: { entityTypes: VAULT }) { nodes { ${VAULT_ROW} } }`),
    at: 'user.snapshots.nodes',
    sql: `SELECT ${vaultRow} FROM vault_snapshots s WHERE "accountId" = '${ann}'
      ORDER BY s.timestamp, "chainId", "vaultId", "positionId"`,
  },
  {
    name: 'grouped vault snapshots',
    query: of(ann, `legacy { vaultSnapshots(grouped: true) { nodes { ${VAULT_ROW} } } }`),
    at: 'user.legacy.vaultSnapshots.nodes',
    sql: `SELECT "chainId", "vaultId" AS "entityAddress", "accountId" AS "userAddress", NULL AS "positionId", timestamp::text AS "legacy.timestamp", to_timestamp(timestamp) AS time,
        sum(shares)::text AS shares, sum(assets)::text AS "supplied.raw", sum("assetsUsd"::numeric) AS "supplied.usd"
      FROM vault_snapshots s WHERE "accountId" = '${ann}' GROUP BY "chainId", "vaultId", "accountId", s.timestamp
      ORDER BY s.timestamp, "chainId", "vaultId"`,
  },
  {
    name: "a vault's snapshots in a window lead to the vault",
    query: `vault(chainId: 1, address: "${vaults.same}") { snapshots(where: { time: { eq: "2025-03-02" } }) { nodes {
      ${VAULT_ROW} entity { name } } } }`,
    at: 'vault.snapshots.nodes',
    sql: `SELECT ${vaultRow}, 'Prime USDC' AS "entity.name" FROM vault_snapshots s WHERE "vaultId" = '${vaults.same}'
      AND "chainId" = 1 AND timestamp = 1740873600 ORDER BY "accountId", "positionId"`,
  },
  {
    name: 'the latest snapshots are all positions at the newest moment in each market and vault',
    query: of(
      ann,
      'latestSnapshots { entityType chainId positionId legacy { timestamp } userAddress entity: entityAddress }',
    ),
    at: 'user.latestSnapshots',
    sql: `SELECT 'MARKET' AS "entityType", "chainId", "marketId" AS entity, "positionId", timestamp::text AS "legacy.timestamp",
        "accountId" AS "userAddress" FROM now_in_markets WHERE "accountId" = '${ann}'
      UNION ALL SELECT 'VAULT', "chainId", "vaultId", "positionId", timestamp::text, "accountId"
      FROM now_in_vaults WHERE "accountId" = '${ann}' ORDER BY "entityType", "chainId", entity, "positionId"`,
  },
  {
    name: 'the latest snapshot has all columns',
    query: of(dan, `latestSnapshots(chainId: 42161) { ${MARKET_ROW} }`),
    at: 'user.latestSnapshots',
    sql: `SELECT ${marketRow} FROM now_in_markets WHERE "accountId" = '${dan}' AND "chainId" = 42161`,
  },

  {
    name: 'liquidation rewards in markets have all their columns, newest first',
    query: of(
      ann,
      `liquidationRewards(where: { entityTypes: MARKET }) { nodes { ${REWARD_ROW} debtMarketAddress entityAddress } }`,
    ),
    at: 'user.liquidationRewards.nodes',
    sql: `SELECT ${rewardRow}, "debtMarketId" AS "debtMarketAddress", "collateralMarketId" AS "entityAddress"
      FROM market_liquidation_rewards r WHERE "accountId" = '${ann}'
      ORDER BY r.timestamp DESC, "logIndex" DESC, "txHash", "chainId"`,
  },
  {
    name: 'rewards lead to the market of the debt and to that of the collateral',
    query: of(
      ann,
      `liquidationRewards(where: { entityTypes: MARKET, entities: "${markets.same}" }) { nodes { debtMarket { asset { symbol } chainId } entity { asset { symbol } } } }`,
    ),
    at: 'user.liquidationRewards.nodes',
    sql: `SELECT d."assetSymbol" AS "debtMarket.asset.symbol", d."chainId" AS "debtMarket.chainId",
        c."assetSymbol" AS "entity.asset.symbol"
      FROM market_liquidation_rewards r
      LEFT JOIN markets d ON d.id = "debtMarketId" AND d."chainId" = r."chainId"
      LEFT JOIN markets c ON c.id = "collateralMarketId" AND c."chainId" = r."chainId"
      WHERE "accountId" = '${ann}' AND "collateralMarketId" = '${markets.same}'
      ORDER BY timestamp DESC, "logIndex" DESC, "txHash", r."chainId"`,
  },
  {
    name: 'liquidation rewards in vaults have all their columns',
    query: of(
      ann,
      `liquidationRewards(where: { entityTypes: VAULT }) { nodes { ${REWARD_ROW} entityAddress entity { name } } }`,
    ),
    at: 'user.liquidationRewards.nodes',
    sql: `SELECT ${rewardRow.replaceAll('"chainId"', 'r."chainId"')}, "vaultId" AS "entityAddress", v.name AS "entity.name"
      FROM vault_liquidation_rewards r JOIN vaults v ON v.id = "vaultId" AND v."chainId" = r."chainId"
      WHERE "accountId" = '${ann}' ORDER BY r.timestamp DESC, "logIndex" DESC, "txHash", r."chainId"`,
  },

  {
    name: 'earnings add up all entities, and say that prices are missing',
    query: of(ann, 'earnings { worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices }'),
    at: 'user.earnings',
    sql: `SELECT sum(value) AS "worthUsd", sum(cash) AS "netCashInvestedUsd",
        sum(value) - sum(cash) AS "earningsUsd", bool_or(incomplete) AS "hasIncompletePrices" FROM ${earningsOf(ann)}`,
  },
  {
    name: 'earnings of one chain have its entities alone',
    query: of(ann, 'earnings(chainId: 42161) { worthUsd netCashInvestedUsd earningsUsd }'),
    at: 'user.earnings',
    sql: `SELECT sum(value) AS "worthUsd", sum(cash) AS "netCashInvestedUsd",
        sum(value) - sum(cash) AS "earningsUsd" FROM ${earningsOf(ann)} WHERE chain = 42161`,
  },
  {
    name: 'a closed position earns what it was closed with; nothing is missing of it',
    query: of(ben, 'earnings { worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices }'),
    at: 'user.earnings',
    sql: `SELECT sum(value) AS "worthUsd", sum(cash) AS "netCashInvestedUsd",
        sum(value) - sum(cash) AS "earningsUsd", bool_or(incomplete) AS "hasIncompletePrices" FROM ${earningsOf(ben)}`,
  },
  {
    name: 'a user without anything has earned 0',
    query: of(
      users.hal,
      'earnings { worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices }',
    ),
    at: 'user.earnings',
    sql: `SELECT 0 AS "worthUsd", 0 AS "netCashInvestedUsd", 0 AS "earningsUsd",
        false AS "hasIncompletePrices"`,
  },
  {
    name: 'the earnings of each entity, by current value',
    query: of(ann, `earnings { breakdown { ${EARNINGS_ROW} } }`),
    at: 'user.earnings.breakdown',
    sql: `SELECT ${earningsRow} FROM ${earningsOf(ann)} ORDER BY value DESC, chain, type, entity`,
  },
  ...[...MOMENTS, '2025-04-01T00:00:00Z'].map((moment) => ({
    name: `the interest in tokens of each entity as of ${moment}, and what liquidations gave and took`,
    query: of(
      ann,
      `earnings(at: "${moment}") { breakdown { entityAddress interest { raw } liquidationUsd } }`,
    ),
    at: 'user.earnings.breakdown',
    sql: `SELECT entity AS "entityAddress", CASE WHEN i.type IS NULL THEN '0' ELSE interest::text END AS "interest.raw",
        CASE WHEN i.type IS NULL THEN 0 ELSE gained END AS "liquidationUsd"
      FROM ${earningsBy(ann, moment)} LEFT JOIN ${interestOf(ann, moment)} USING (type, chain, entity)
      ORDER BY value DESC, chain, type, entity`,
    ...(moment < '2025-03' && { empty: true as const }),
  })),
  ...[...MOMENTS, '2025-04-01T00:00:00Z'].map((moment) => ({
    name: `the earnings of each entity as of ${moment} are of what was until then, and at that moment`,
    query: of(ann, `earnings(at: "${moment}") { breakdown { ${EARNINGS_ROW} } }`),
    at: 'user.earnings.breakdown',
    sql: `SELECT ${earningsRow} FROM ${earningsBy(ann, moment)} ORDER BY value DESC, chain, type, entity`,
    ...(moment < '2025-03' && { empty: true as const }),
  })),
  ...(['ann', 'ben', 'cat', 'gus'] as const).map((name) => ({
    name: `value and cash of a day are of the newest snapshots before its end, and later cash is pending (${name})`,
    query: of(
      users[name],
      `series(interval: DAY, from: "2025-02-28", to: "2025-03-04") {
        start worth { netUsd } netCashInvestedUsd earningsUsd pendingCashUsd hasIncompletePrices }`,
    ),
    at: 'user.series',
    sql: `WITH held AS (SELECT *, extract(epoch FROM date '2025-02-28' + n)::bigint AS start, extract(epoch FROM date '2025-03-01' + n)::bigint AS until
          FROM generate_series(0, 4) n, ${entities(users[name])} e),
        newest AS (SELECT start, until, entity, (SELECT max(timestamp) FROM ${held(users[name])} h
          WHERE h.entity = held.entity AND timestamp < until) AS at FROM held),
        value AS (SELECT start, count(*) AS rows, sum(value) AS value, bool_or(unpriced) AS unpriced
          FROM newest JOIN ${held(users[name])} h ON h.entity = newest.entity AND h.timestamp = at GROUP BY start),
        flow AS (SELECT start, coalesce(sum(cash) FILTER (WHERE timestamp <= at), 0) AS cash,
            count(*) FILTER (WHERE timestamp <= at AND unpriced) AS unknown,
            coalesce(sum(cash) FILTER (WHERE timestamp < until AND (at IS NULL OR timestamp > at)), 0) AS pending,
            count(*) FILTER (WHERE timestamp < until AND (at IS NULL OR timestamp > at) AND unpriced) AS unknown_pending
          FROM newest LEFT JOIN ${flows(users[name])} f ON f.entity = newest.entity GROUP BY start)
      SELECT to_timestamp(start)::date AS start, CASE WHEN NOT unpriced THEN value END AS "worth.netUsd",
        CASE WHEN rows > 0 AND unknown = 0 THEN cash END AS "netCashInvestedUsd",
        CASE WHEN NOT unpriced AND unknown = 0 THEN value - cash END AS "earningsUsd",
        CASE WHEN unknown_pending = 0 THEN pending END AS "pendingCashUsd",
        unpriced OR CASE WHEN rows > 0 THEN unknown > 0 END AS "hasIncompletePrices"
      FROM flow LEFT JOIN value USING (start) ORDER BY start`,
  })),
  ...[ann, cat, gus].map((user, n) => ({
    name: `the earnings of each asset add up those of its markets and vaults (${n})`,
    query: of(
      user,
      'earnings { byAsset { asset { chainId address symbol decimals } worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices } }',
    ),
    at: 'user.earnings.byAsset',
    sql: `SELECT e.chain AS "asset.chainId", o.asset AS "asset.address", min(o.symbol) AS "asset.symbol", min(o.decimals) AS "asset.decimals",
        sum(value) AS "worthUsd", sum(cash) AS "netCashInvestedUsd", sum(value) - sum(cash) AS "earningsUsd", bool_or(incomplete) AS "hasIncompletePrices"
      FROM ${earningsOf(user)} JOIN (
        SELECT 'MARKET' AS kind, "chainId", id, "assetAddress" AS asset, "assetSymbol" AS symbol, "assetDecimals" AS decimals FROM markets
        UNION ALL SELECT 'VAULT', "chainId", id, "assetAddress", "assetSymbol", "assetDecimals" FROM vaults) o
        ON o.kind = type AND o."chainId" = chain AND o.id = entity
      GROUP BY e.chain, o.asset ORDER BY sum(value) DESC, e.chain, o.asset`,
  })),
  ...[
    ['2025-03-01T12:00:00Z', '2025-03-02T00:00:00Z'],
    ['2025-02-01T00:00:00Z', '2025-03-10T00:00:00Z'],
    ['2025-03-01T00:00:00Z', undefined],
    ['2025-03-02T00:00:00Z', '2025-03-02T00:00:00Z'],
  ].map(([from = '', to]) => ({
    name: `the earnings of each entity from ${from} to ${to ?? 'now'} are the difference of both`,
    query: of(
      ann,
      `earnings(since: "${from}"${to ? `, at: "${to}"` : ''}) { breakdown { ${EARNINGS_ROW} } }`,
    ),
    at: 'user.earnings.breakdown',
    sql: `SELECT ${earningsRow} FROM (SELECT type, chain, entity, sum(value) AS value, sum(cash) AS cash, bool_or(incomplete) AS incomplete FROM (
        SELECT * FROM ${to ? earningsBy(ann, to) : earningsOf(ann)}
        UNION ALL SELECT type, chain, entity, -value, -cash, incomplete FROM ${earningsBy(ann, from)}) b
      GROUP BY type, chain, entity) e ORDER BY value DESC, chain, type, entity`,
  })),
  ...[
    [undefined, undefined],
    [undefined, '2025-03-02T00:00:00Z'],
    ['2025-03-01T12:00:00Z', '2025-03-10T00:00:00Z'],
    ['2025-02-01T00:00:00Z', undefined],
  ].flatMap(([from, to]): Fact[] => {
    const args = [from && `since: "${from}"`, to && `at: "${to}"`].filter(Boolean).join(', ')
    const period = `${from ? `from ${from} ` : ''}until ${to ?? 'now'}`
    return [ann, ben, gus].flatMap((user): Fact[] => [
      {
        name: `what ${user} realised in each entity ${period}, by average cost`,
        query: of(
          user,
          `earnings${args && `(${args})`} { breakdown { entityType chainId entityAddress realisedUsd } }`,
        ),
        at: 'user.earnings.breakdown',
        sql: `SELECT type AS "entityType", chain AS "chainId", entity AS "entityAddress", realised AS "realisedUsd" FROM ${realisedOf(user, from, to)}`,
        unordered: true,
      },
      {
        name: `what ${user} realised in all ${period} is known if all prices are`,
        query: of(user, `earnings${args && `(${args})`} { realisedUsd }`),
        at: 'user.earnings',
        sql: `SELECT CASE WHEN NOT bool_or(incomplete) THEN sum(realised) END AS "realisedUsd" FROM ${realisedOf(user, from, to)}`,
      },
    ])
  }),
  ...[ann, gus].map(
    (user): Fact => ({
      name: `the earnings of ${user} in each pool add up those of its markets`,
      query: of(
        user,
        'earnings { byPool { poolAddress pool { name } worthUsd earningsUsd realisedUsd hasIncompletePrices } }',
      ),
      at: 'user.earnings.byPool',
      sql: `SELECT "poolId" AS "poolAddress", (SELECT name FROM pools WHERE id = "poolId") AS "pool.name", sum(value) AS "worthUsd",
          sum(value) - sum(cash) AS "earningsUsd", CASE WHEN NOT bool_or(e.incomplete) THEN sum(realised) END AS "realisedUsd",
          bool_or(e.incomplete) AS "hasIncompletePrices"
        FROM ${earningsOf(user)} JOIN ${realisedOf(user)} USING (type, chain, entity)
        JOIN markets m ON type = 'MARKET' AND m."chainId" = chain AND m.id = entity
        GROUP BY "poolId" ORDER BY sum(value) DESC, "poolId"`,
    }),
  ),
  {
    name: 'the earnings of a period add up those of its entities',
    query: of(
      ann,
      'earnings(since: "2025-03-01T12:00:00Z", at: "2025-04-01", chainId: 42161) { worthUsd netCashInvestedUsd earningsUsd }',
    ),
    at: 'user.earnings',
    sql: `SELECT sum(value) AS "worthUsd", sum(cash) AS "netCashInvestedUsd", sum(value) - sum(cash) AS "earningsUsd" FROM (
        SELECT * FROM ${earningsBy(ann, '2025-04-01')}
        UNION ALL SELECT type, chain, entity, -value, -cash, incomplete FROM ${earningsBy(ann, '2025-03-01T12:00:00Z')}) b WHERE chain = 42161`,
  },
  ...[ann, ben, gus].flatMap((user, n) =>
    ['2025-02-28', '2025-03-01', '2025-03-02', '2025-03-10'].map((day) => ({
      name: `the net APR of a day is of the newest snapshots before its end (${n}, ${day})`,
      query: of(
        user,
        `series(interval: DAY, from: "${day}", to: "${day}") { netDepositApr netBorrowApr }`,
      ),
      at: 'user.series',
      sql: `SELECT CASE WHEN count(*) > 0 THEN coalesce(sum(deposit * deposit_rate::numeric) / nullif(sum(deposit), 0), 0) END AS "netDepositApr",
          CASE WHEN count(*) > 0 THEN coalesce(sum(borrow * borrow_rate::numeric) / nullif(sum(borrow), 0), 0) END AS "netBorrowApr"
        FROM ${aprBy(user, `${day}T23:59:59Z`)}`,
    })),
  ),
  {
    name: 'the earnings of entities lead to the market or vault, page by page',
    query: of(
      ann,
      `earnings { breakdown(first: 2, offset: 1) { ${EARNINGS_ROW} entity { chainId name asset { symbol } } } }`,
    ),
    at: 'user.earnings.breakdown',
    sql: `SELECT ${earningsRow}, coalesce(m."assetSymbol", v."assetSymbol") AS "entity.asset.symbol", chain AS "entity.chainId",
        coalesce(v.name, concat_ws(' in ', m."assetSymbol", nullif(concat_ws('·', asset_1_symbol, asset_2_symbol, "marketId"), ''))) AS "entity.name" FROM ${earningsOf(ann)}
      LEFT JOIN markets m ON type = 'MARKET' AND m.id = entity AND m."chainId" = chain
      LEFT JOIN vaults v ON type = 'VAULT' AND v.id = entity AND v."chainId" = chain
      LEFT JOIN pools p ON p.id = m."poolId" AND p."chainId" = chain
      ORDER BY value DESC, chain, type, entity LIMIT 2 OFFSET 1`,
  },
  ...[ann, ben, cat, users.hal].map((user, n) => ({
    name: `net APR weighs rates by USD (${Object.keys(users).find((name) => users[name as 'ann'] === user)})`,
    query: of(user, `netApr${n === 0 ? '(chainId: 1)' : ''} { ${APR} }`),
    at: 'user.netApr',
    sql: `SELECT ${apr} FROM ${aprOf(user)} ${n === 0 ? 'WHERE chain = 1' : ''}`,
  })),
  {
    name: 'the rates of each entity, by deposit and debt',
    query: of(ann, `netApr { breakdown { ${APR_ROW} } }`),
    at: 'user.netApr.breakdown',
    sql: `SELECT ${aprRow} FROM ${aprOf(ann)} ORDER BY deposit + borrow DESC, chain, type, entity`,
  },
  {
    name: 'the rates of the second entity',
    query: of(ann, `netApr { breakdown(first: 1, offset: 1) { ${APR_ROW} } }`),
    at: 'user.netApr.breakdown',
    sql: `SELECT ${aprRow} FROM ${aprOf(ann)} ORDER BY deposit + borrow DESC, chain, type, entity LIMIT 1 OFFSET 1`,
  },
  {
    name: 'the number of entities with earnings',
    query: of(ann, 'earnings { entityCount }'),
    at: 'user.earnings',
    sql: `SELECT count(*)::int AS "entityCount" FROM ${earningsOf(ann)}`,
  },

  {
    name: 'users are worth what they hold in markets and vaults; without a snapshot that is not known',
    query: `lookupUsers(addresses: ${JSON.stringify(everyone)}) { address ${WORTH} }`,
    at: 'lookupUsers',
    sql: `SELECT u.address, ${worth} FROM unnest(ARRAY['${everyone.join("', '")}']) WITH ORDINALITY u(address, n)
      LEFT JOIN ${holdings()} h ON "accountId" = u.address GROUP BY u.address, n ORDER BY n`,
  },
  {
    name: 'what a user is worth on one chain',
    query: of(ann, WORTH.replace('worth', 'worth(chainId: 42161)')),
    at: 'user',
    sql: `SELECT ${worth} FROM ${holdings()} h WHERE "accountId" = '${ann}' AND chain = 42161`,
  },
  ...[...MOMENTS, '2025-04-01T00:00:00Z'].map((moment) => ({
    name: `what users were worth at ${moment}: by what they held until then, and at that moment`,
    query: `users(where: { addresses: ${JSON.stringify(everyone)} }) { nodes { address ${WORTH.replace('worth', `worth(at: "${moment}")`)} } }`,
    at: 'users.nodes',
    sql: `SELECT u.address, ${worth} FROM unnest(ARRAY['${Object.values(users).join("', '")}']) u(address)
      LEFT JOIN ${holdings(moment)} h ON "accountId" = u.address GROUP BY u.address ORDER BY u.address`,
  })),
  {
    name: 'the worth of users has changed since the end of a distribution date; a missing price leaves that open',
    query: `lookupUsers(addresses: ${JSON.stringify(everyone)}) { address change(days: 28) { netWorthUsd } }`,
    at: 'lookupUsers',
    // 28 days before 2025-04-01 is the gap of 2025-03-04: as of 2025-03-03.
    sql: `SELECT u.address, CASE WHEN NOT (now."worth.hasIncompletePrices" OR past."worth.hasIncompletePrices")
        THEN now."worth.netUsd" - past."worth.netUsd" END AS "change.netWorthUsd"
      FROM unnest(ARRAY['${everyone.join("', '")}']) WITH ORDINALITY u(address, n)
      LEFT JOIN (SELECT "accountId", ${worth} FROM ${holdings()} h GROUP BY 1) now ON now."accountId" = u.address
      LEFT JOIN (SELECT "accountId", ${worth} FROM ${holdings('2025-03-03T23:59:59Z')} h GROUP BY 1) past
        ON past."accountId" = now."accountId" ORDER BY n`,
  },
  {
    name: 'a portfolio adds wallets up, each once',
    query: `portfolio(${wallets}) { points: totalPoints positionCount: recordCount bestRank ${WORTH} }`,
    at: 'portfolio',
    sql: `SELECT (SELECT sum(points) FROM scored WHERE "user" ${inWallets}) AS points,
        (SELECT count(*) FROM scored WHERE "user" ${inWallets}) AS "positionCount",
        (SELECT min(rank) FROM ranks WHERE account ${inWallets}) AS "bestRank", ${worth}
      FROM ${holdings()} h WHERE "accountId" ${inWallets}`,
  },
  {
    name: "a portfolio's users are what was given, in its order",
    query: `portfolio(${wallets}) { users { address } }`,
    at: 'portfolio.users',
    sql: `SELECT unnest(ARRAY['${ann}', '${dan}', '${gus}', '${ann}']) AS address`,
  },
  {
    name: "a portfolio's markets and vaults add up each wallet's newest snapshot there",
    query: `portfolio(${wallets}) { entities { chainId entityAddress entity { asset { symbol } } userCount
      supplied { raw usd } protected { raw usd } borrowed { raw usd } shares } }`,
    at: 'portfolio.entities',
    sql: `SELECT * FROM (SELECT s."chainId", "marketId" AS "entityAddress", "assetSymbol" AS "entity.asset.symbol",
          count(DISTINCT "accountId") AS "userCount",
          sum("collateralAssets")::text AS "supplied.raw", sum("collateralUsd"::numeric) AS "supplied.usd",
          sum("protectedAssets")::text AS "protected.raw", sum("protectedUsd"::numeric) AS "protected.usd",
          sum("debtAssets")::text AS "borrowed.raw", sum("debtUsd"::numeric) AS "borrowed.usd", NULL AS shares
        FROM now_in_markets s JOIN markets m ON m.id = "marketId" AND m."chainId" = s."chainId"
        WHERE "accountId" ${inWallets} GROUP BY s."chainId", "marketId", "assetSymbol" ORDER BY 1, 2) m
      UNION ALL SELECT * FROM (SELECT s."chainId", "vaultId", "assetSymbol", count(DISTINCT "accountId"),
          sum(assets)::text, sum("assetsUsd"::numeric), NULL, NULL::numeric, NULL, NULL::numeric, sum(shares)::text
        FROM now_in_vaults s JOIN vaults v ON v.id = "vaultId" AND v."chainId" = s."chainId"
        WHERE "accountId" ${inWallets} GROUP BY s."chainId", "vaultId", "assetSymbol" ORDER BY 1, 2) v`,
  },
  {
    name: "a portfolio's pools are those of the newest distribution date",
    query: `portfolio(addresses: ["${ann}", "${ben}", "${cat}", "${users.eve}"]) { pools { poolAddress pool { name } userCount points
      suppliedUsd protectedUsd borrowedUsd } }`,
    at: 'portfolio.pools',
    sql: `SELECT pool AS "poolAddress", name AS "pool.name", count(*) AS "userCount", sum(points) AS points,
        sum("suppliedUsd") AS "suppliedUsd", sum("protectedUsd") AS "protectedUsd", sum("borrowedUsd") AS "borrowedUsd"
      FROM scored s JOIN pools p ON p.id = pool WHERE date = '2025-04-01' AND "user" IN ('${ann}', '${ben}', '${cat}')
      GROUP BY pool, name ORDER BY sum(points) DESC, pool`,
  },
  {
    name: "a portfolio's earnings are one wallet's of them all",
    query: `portfolio(${wallets}) { earnings { worthUsd netCashInvestedUsd hasIncompletePrices
      breakdown { ${EARNINGS_ROW} } } }`,
    at: 'portfolio.earnings.breakdown',
    sql: `SELECT ${earningsRow} FROM ${earningsOf(ann, dan, gus)} ORDER BY value DESC, chain, type, entity`,
  },
  {
    name: "a portfolio's net APR is of all wallets together",
    query: `portfolio(${wallets}) { netApr { ${APR} } }`,
    at: 'portfolio.netApr',
    sql: `SELECT ${apr} FROM ${aprOf(ann, dan, gus)}`,
  },
]
