import { markets, nobody, pools, tokens, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

const { ann, ben, cat, gus } = users

/**
 * Cash flows and rewards with their markets, vaults and tokens. What happened in one event is in
 * the order of `source`.
 */
const ACTIVITY = `(
  SELECT a.*, m.id AS "marketStored", m."poolId", v.name AS vault_name,
    CASE WHEN source = 3 THEN NULL ELSE coalesce(m."assetAddress", v."assetAddress") END AS token,
    CASE WHEN source = 3 THEN NULL ELSE coalesce(m."assetSymbol", v."assetSymbol") END AS symbol,
    CASE WHEN source = 3 THEN NULL ELSE coalesce(m."assetDecimals", v."assetDecimals") END AS decimals
  FROM (
    SELECT 1 AS source, upper(kind) AS kind, timestamp, "chainId" AS chain, "txHash" AS tx, "logIndex" AS log,
      "accountId" AS "user", CASE "entityType" WHEN 'market' THEN "entityId" END AS market,
      CASE "entityType" WHEN 'vault' THEN "entityId" END AS vault, assets, "amountUsd" AS usd FROM cash_flows
    UNION ALL
    SELECT 1.5, 'LIQUIDATION', timestamp, "chainId", "txHash", "logIndex", borrower, "collateralMarketId", NULL,
      "collateralSeized", "collateralSeizedUsd" FROM liquidations
    UNION ALL
    SELECT 2, 'LIQUIDATION_REWARD', timestamp, "chainId", "txHash", "logIndex", "accountId", "collateralMarketId", NULL,
      "liquidReward", "liquidRewardUsd" FROM market_liquidation_rewards
    UNION ALL
    SELECT 3, 'LIQUIDATION_REWARD', timestamp, "chainId", "txHash", "logIndex", "accountId", NULL, "vaultId",
      "liquidReward", "liquidRewardUsd" FROM vault_liquidation_rewards) a
  LEFT JOIN markets m ON m."chainId" = chain AND m.id = market LEFT JOIN vaults v ON v."chainId" = chain AND v.id = vault) r`
/** The rewards of both kinds, with the entity whose collateral they are of. */
const REWARDS = `(SELECT timestamp, "logIndex", "txHash", "chainId", "accountId", 'MARKET' AS type,
    "collateralMarketId" AS entity, "debtMarketId" FROM market_liquidation_rewards
  UNION ALL SELECT timestamp, "logIndex", "txHash", "chainId", "accountId", 'VAULT', "vaultId", NULL
    FROM vault_liquidation_rewards) r`
/**
 * Cash flows with what is stored next to each of the same user in the same market or vault: what it
 * had by a snapshot, or whether a cash flow added to it. A snapshot has the cash flows of its
 * second.
 */
const NEIGHBOURS = `(SELECT *, lag(stored) OVER w AS before, lead(stored) OVER w AS after FROM (
    SELECT 'flow' AS record, timestamp, "logIndex" AS log, kind, "txHash", "entityType" AS type, "accountId", "chainId", "entityId",
      CASE WHEN kind IN ('deposit', 'borrow') THEN 'adds' ELSE 'takes' END AS stored FROM cash_flows
    UNION ALL SELECT 'snapshot', timestamp, 1e9, NULL, NULL, 'market', "accountId", "chainId", "marketId", CASE WHEN
      bool_or("collateralAssets" > 0 OR "protectedAssets" > 0 OR "debtAssets" > 0) THEN 'something' ELSE 'nothing' END
      FROM market_snapshots GROUP BY "accountId", "chainId", "marketId", timestamp
    UNION ALL SELECT 'snapshot', timestamp, 1e9, NULL, NULL, 'vault', "accountId", "chainId", "vaultId", CASE WHEN
      bool_or(assets > 0 OR shares > 0) THEN 'something' ELSE 'nothing' END
      FROM vault_snapshots GROUP BY "accountId", "chainId", "vaultId", timestamp) s
  WINDOW w AS (PARTITION BY type, "accountId", "chainId", "entityId" ORDER BY timestamp, log)) n`
const opened = `CASE WHEN stored = 'takes' OR before IN ('something', 'adds') THEN false WHEN before = 'takes' THEN NULL ELSE true END AS opened`
const closed = `CASE WHEN stored = 'adds' OR after IN ('something', 'takes') THEN false WHEN after = 'nothing' THEN true END AS closed`

const NEWEST = 'timestamp DESC, log DESC, tx, chain, "user", source'
const OLDEST = 'timestamp, log, tx DESC, chain DESC, "user" DESC, source DESC'

const ROW = `kind time legacy { timestamp } chainId entityType entityAddress txHash logIndex asset { address symbol decimals }
  amount { raw decimals value usd } user { address rank } entity { address name } pool { name }`
/**
 * The digits of the amount with a point before the last `decimals` of them, without zeros at the
 * end.
 */
const padded = `lpad(assets::text, greatest(length(assets::text), decimals + 1), '0')`
const row = `kind, to_timestamp(least(timestamp, 253402300799)) AS time, timestamp::text AS "legacy.timestamp", chain AS "chainId",
  "user" AS "user.address", CASE WHEN market IS NULL THEN 'VAULT' ELSE 'MARKET' END AS "entityType",
  coalesce(market, vault) AS "entityAddress", tx AS "txHash", log AS "logIndex",
  token AS "asset.address", symbol AS "asset.symbol", CASE WHEN token IS NOT NULL THEN decimals END AS "asset.decimals", assets::text AS "amount.raw",
  decimals AS "amount.decimals",
  rtrim(rtrim(left(${padded}, length(${padded}) - decimals) || '.' || right(${padded}, decimals), '0'), '.') AS "amount.value",
  usd AS "amount.usd", (SELECT rank FROM ranks WHERE account = "user") AS "user.rank",
  coalesce(market, vault) AS "entity.address",
  coalesce(vault_name, (SELECT concat_ws(' in ', m."assetSymbol", nullif(concat_ws('·', asset_1_symbol, asset_2_symbol, "marketId"), ''))
    FROM markets m LEFT JOIN pools p ON p.id = m."poolId" AND p."chainId" = m."chainId" WHERE m.id = market AND m."chainId" = chain)) AS "entity.name", (SELECT name FROM pools WHERE id = "poolId") AS "pool.name"`

const of = (address: string, selection: string) => `user(address: "${address}") { ${selection} }`
/** Rows of ann's activity, by their identity. */
const part = (name: string, args: string, sql: string, more: Partial<Fact> = {}): Fact => ({
  name: `activity: ${name}`,
  query: of(
    ann,
    `activity(${args}) { totalCount nodes { kind chainId txHash logIndex entityAddress } }`,
  ),
  at: 'user.activity.nodes',
  sql: `SELECT kind, chain AS "chainId", tx AS "txHash", log AS "logIndex", coalesce(market, vault) AS "entityAddress"
    FROM ${ACTIVITY} WHERE "user" = '${ann}' ${sql}`,
  ...more,
})
const filters: Record<string, string> = {
  'kinds: BORROW': `kind = 'BORROW'`,
  'kinds: [LIQUIDATION_REWARD, REPAY]': `kind IN ('LIQUIDATION_REWARD', 'REPAY')`,
  'NOT: { kinds: LIQUIDATION_REWARD }': 'source = 1',
  'chainIds: 42161': 'chain = 42161',
  'chainIds: [1, 5]': 'chain = 1',
  [`entityTypes: MARKET, entities: "${markets.same}"`]: `market = '${markets.same}'`,
  [`entities: ["${markets.dust}", "${markets.usdc}"]`]: `market IN ('${markets.dust}', '${markets.usdc}')`,
  [`entityTypes: VAULT, entities: "${vaults.same}"`]: `vault = '${vaults.same}'`,
  [`entities: ["${vaults.twin}"], entityTypes: [VAULT]`]: `vault = '${vaults.twin}'`,
  [`pools: "${pools.eth}"`]: `"poolId" = '${pools.eth}'`,
  [`pools: ["${pools.arb}", "${pools.wild}"]`]: `"poolId" IN ('${pools.arb}', '${pools.wild}')`,
  [`assets: "${tokens.eth}"`]: `token = '${tokens.eth}'`,
  [`assets: ["${tokens.usdc}", "${tokens.arb}"]`]: `token IN ('${tokens.usdc}', '${tokens.arb}')`,
  [`users: ["${ann}", "${ben}"]`]: 'true',
  'amountUsd: { gt: 0.1, lte: 10 }': 'usd > 0.1 AND usd <= 10',
  'NOT: { amountUsd: { gte: 0 } }': 'usd IS NULL',
  'unpriced: true': 'usd IS NULL AND assets IS DISTINCT FROM 0',
  'unpriced: false': 'usd IS NOT NULL OR assets = 0',
  'time: { gt: "2025-03-02", lt: "2025-03-02T12:30:15.001Z" }': `timestamp > 1740873600 AND timestamp <= 1740918615`,
  'time: { gte: "2025-03-02T12:30:15.001Z" }': 'timestamp >= 1740918616',
  'time: { gt: "2025-03-02T12:30:14.999Z", lte: "2025-03-02T12:30:15.999Z" }':
    'timestamp = 1740918615',
  'time: { lt: "2025-03-01T00:00:00.001Z" }': 'timestamp <= 1740787200',
  [`OR: [{ entityTypes: VAULT, entities: ["${vaults.twin}"] }, { kinds: DEPOSIT, chainIds: 42161 }]`]: `vault = '${vaults.twin}' OR kind = 'DEPOSIT' AND chain = 42161`,
}
/** A page from the cursor of a row, among rows of one moment. */
const after = (place: number, args: string, sql: string): Fact =>
  part(`${args}, where the cursor is row ${place}`, args, sql, {
    query: of(ann, `activity(${args}) { nodes { kind chainId txHash logIndex entityAddress } }`),
    variables: {
      types: '$cursor: String!',
      async from(ask) {
        const { user } = await ask(
          `{ ${of(ann, `activity(first: 1, offset: ${place}) { edges { cursor } }`)} }`,
        )
        return { cursor: user.activity.edges[0].cursor }
      },
    },
  })

export const activityFacts: Fact[] = [
  ...[ann, cat, gus].map(
    (user): Fact => ({
      name: `the activity of ${user} has all its columns, newest first`,
      query: of(user, `activity { totalCount nodes { ${ROW} } }`),
      at: 'user.activity.nodes',
      sql: `SELECT ${row} FROM ${ACTIVITY} WHERE "user" = '${user}' ORDER BY ${NEWEST}`,
      total: `SELECT count(*) FROM ${ACTIVITY} WHERE "user" = '${user}'`,
    }),
  ),
  {
    name: 'a user without records has no activity',
    query: of(nobody, 'activity { totalCount nodes { kind } }'),
    at: 'user.activity.nodes',
    sql: 'SELECT WHERE false',
    total: 'SELECT 0::int8 AS count',
    empty: true,
  },
  {
    name: "users' activity keeps to its user",
    query: `lookupUsers(addresses: ["${gus}", "${nobody}", "${ben}"]) { activity(first: 2) { nodes { user { address } txHash } } }`,
    at: 'lookupUsers.activity.nodes',
    sql: `(SELECT "user" AS "user.address", tx AS "txHash" FROM ${ACTIVITY} WHERE "user" = '${gus}' ORDER BY ${NEWEST} LIMIT 2)
      UNION ALL (SELECT "user", tx FROM ${ACTIVITY} WHERE "user" = '${ben}' ORDER BY ${NEWEST} LIMIT 2)`,
  },
  ...(
    [
      ['market', 1, markets.same],
      ['market', 42161, markets.same],
      ['market', 1, markets.usdc],
      ['vault', 1, vaults.same],
      ['vault', 1, vaults.twin],
    ] as const
  ).map(
    ([kind, chainId, address]): Fact => ({
      name: `the activity of all users in the ${kind} ${address} on chain ${chainId}`,
      query: `${kind}(chainId: ${chainId}, address: "${address}") { activity { totalCount nodes { ${ROW} } } }`,
      at: `${kind}.activity.nodes`,
      sql: `SELECT ${row} FROM ${ACTIVITY} WHERE ${kind} = '${address}' AND chain = ${chainId} ORDER BY ${NEWEST}`,
      total: `SELECT count(*) FROM ${ACTIVITY} WHERE ${kind} = '${address}' AND chain = ${chainId}`,
    }),
  ),
  ...(['eth', 'arb', 'none', 'wild'] as const).flatMap((name): Fact[] => {
    const sides = `(chain, market) IN (SELECT "chainId", unnest(ARRAY[unit_1_id, unit_2_id]) FROM pools WHERE id = '${pools[name]}')`
    const here = (args: string, selection: string) =>
      `pool(address: "${pools[name]}") { activity${args} { ${selection} } }`
    const fact = (what: string, args: string, selection: string, sql: string): Fact => ({
      name: `the activity of all users in both markets of the pool ${name}${what}`,
      query: here(args, `totalCount nodes { ${selection} }`),
      at: 'pool.activity.nodes',
      sql,
      ...(name === 'wild' && { empty: true }),
    })
    return [
      {
        ...fact('', '', ROW, `SELECT ${row} FROM ${ACTIVITY} WHERE ${sides} ORDER BY ${NEWEST}`),
        total: `SELECT count(*) FROM ${ACTIVITY} WHERE ${sides}`,
      },
      {
        ...fact(
          ', a kind alone, oldest first',
          '(where: { kinds: [DEPOSIT, REPAY] }, orderBy: TIME, first: 2, offset: 1)',
          'kind txHash logIndex',
          `SELECT kind, tx AS "txHash", log AS "logIndex" FROM ${ACTIVITY} WHERE ${sides} AND kind IN ('DEPOSIT', 'REPAY')
            ORDER BY ${OLDEST} OFFSET 1 LIMIT 2`,
        ),
        total: `SELECT count(*) FROM ${ACTIVITY} WHERE ${sides} AND kind IN ('DEPOSIT', 'REPAY')`,
      },
    ]
  }),
  ...[ann, ben, gus].map(
    (user): Fact => ({
      name: `which cash flows of ${user} opened or closed something`,
      query: of(
        user,
        'activity(where: { NOT: { kinds: LIQUIDATION_REWARD } }) { nodes { txHash opened closed } }',
      ),
      at: 'user.activity.nodes',
      sql: `SELECT "txHash", ${opened}, ${closed} FROM ${NEIGHBOURS} WHERE record = 'flow' AND "accountId" = '${user}'
        ORDER BY timestamp DESC, log DESC`,
    }),
  ),
  {
    name: 'which of all users opened or closed something; rewards did not',
    query: 'activity { nodes { kind txHash opened closed } }',
    at: 'activity.nodes',
    sql: `SELECT r.kind, tx AS "txHash", opened, closed FROM ${ACTIVITY} LEFT JOIN
      (SELECT "txHash", "accountId", "chainId", log AS place, ${opened}, ${closed} FROM ${NEIGHBOURS}) n
      ON source = 1 AND "txHash" = tx AND "accountId" = "user" AND "chainId" = chain AND place = log ORDER BY ${NEWEST}`,
  },
  {
    name: 'the activity of all users has all its columns, newest first',
    query: `activity { nodes { ${ROW} } }`,
    at: 'activity.nodes',
    sql: `SELECT ${row} FROM ${ACTIVITY} ORDER BY ${NEWEST}`,
  },
  {
    name: 'the activity of some of all users by its kind',
    query: `activity(where: { users: ["${ann}", "${cat}"], kinds: [DEPOSIT, REPAY] }, first: 3) { totalCount nodes { kind user { address } txHash } }`,
    at: 'activity.nodes',
    sql: `SELECT kind, "user" AS "user.address", tx AS "txHash" FROM ${ACTIVITY}
      WHERE "user" IN ('${ann}', '${cat}') AND kind IN ('DEPOSIT', 'REPAY') ORDER BY ${NEWEST} LIMIT 3`,
    total: `SELECT count(*) FROM ${ACTIVITY} WHERE "user" IN ('${ann}', '${cat}') AND kind IN ('DEPOSIT', 'REPAY')`,
  },
  {
    name: 'the activity of all users in a time',
    query:
      'activity(where: { time: { gte: "2025-03-01", lte: "2025-03-03" }, chainIds: 1 }) { totalCount nodes { txHash logIndex } }',
    at: 'activity.nodes',
    sql: `SELECT tx AS "txHash", log AS "logIndex" FROM ${ACTIVITY}
      WHERE timestamp BETWEEN 1740787200 AND 1740960000 AND chain = 1 ORDER BY ${NEWEST}`,
    total: `SELECT count(*) FROM ${ACTIVITY} WHERE timestamp BETWEEN 1740787200 AND 1740960000 AND chain = 1`,
  },
  {
    name: 'the liquidation rewards of all users in a time',
    query: `liquidationRewards(where: { time: { gte: "2025-02-25", lte: "2025-03-20" } }) { totalCount nodes {
      txHash logIndex user { address } entityType entityAddress debtMarketAddress } }`,
    at: 'liquidationRewards.nodes',
    sql: `SELECT "txHash", "logIndex", "accountId" AS "user.address", type AS "entityType", entity AS "entityAddress",
        "debtMarketId" AS "debtMarketAddress"
      FROM ${REWARDS} WHERE timestamp BETWEEN 1740441600 AND 1742428800
      ORDER BY timestamp DESC, "logIndex" DESC, "txHash", "chainId", "accountId", type`,
    total: `SELECT count(*) FROM ${REWARDS} WHERE timestamp BETWEEN 1740441600 AND 1742428800`,
  },
  part('oldest first', 'orderBy: TIME', `ORDER BY ${OLDEST}`),
  part('newest first by name', 'orderBy: TIME, orderDirection: DESC', `ORDER BY ${NEWEST}`),
  ...Object.entries(filters).map(([where, condition]) =>
    part(`where ${where}`, `where: { ${where} }`, `AND (${condition}) ORDER BY ${NEWEST}`, {
      total: `SELECT count(*) FROM ${ACTIVITY} WHERE "user" = '${ann}' AND (${condition})`,
    }),
  ),
  part('an empty list of kinds', 'where: { kinds: [] }', 'AND false', { empty: true }),
  part(
    'a filter, oldest first',
    'where: { kinds: DEPOSIT }, orderBy: TIME',
    `AND kind = 'DEPOSIT' ORDER BY ${OLDEST}`,
  ),
  ...[1, 2, 3, 4, 9, 14].flatMap((place) => [
    after(place, 'first: 4, after: $cursor', `ORDER BY ${NEWEST} OFFSET ${place + 1} LIMIT 4`),
    after(place, 'last: 1000, before: $cursor', `ORDER BY ${NEWEST} LIMIT ${place}`),
  ]),
]
