import { orderArguments } from '../support/order.ts'
import { dates, markets, pools, tokens, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

/** A list of the graph, with each of its sort keys and filters. Each becomes a fact. */
interface List {
  /** The list's query, with WHERE and ORDER where its arguments are. */
  list: string
  at: string
  /** What identifies a row: the selection and the columns. */
  node: string
  columns: string
  from: string
  /** The list's own order, the same reversed, and the key whose order it is, with its direction. */
  order: string
  reversed: string
  first: string
  /** Each sort key as an expression. */
  sorts: Record<string, string>
  /** A filter that an order needs. */
  bound?: string
  /** Filters, and the same as conditions. */
  filters: Record<string, string>
}

const all = Object.values(users)
/** Bounds positions by the dates that there are. */
const DATES =
  'AND: [{ OR: [{ date: { gte: "2025-02-20", lte: "2025-03-15" } }, { date: { gt: "2025-03-15", lt: "2025-04-10" } }] }]'
const list = (texts: string[]) => texts.map((text) => `"${text}"`).join(', ')

/** The amounts on the newest date, of positions or of their sides, in the program's words. */
const NOW = `coalesce(sum("suppliedUsd"::numeric), 0) AS supplied, coalesce(sum("protectedUsd"::numeric), 0) AS protected,
  coalesce(sum("borrowedUsd"::numeric), 0) AS borrowed`
const TOKENS_NOW = ['supplied', 'protected', 'borrowed']
  .map((name) => `coalesce(sum(${name}::text::numeric), 0) AS ${name}_tokens`)
  .join(', ')
const newest = 'date = (SELECT max(date) FROM scored)'
const AMOUNTS = 'suppliedUsd protectedUsd tvlUsd borrowedUsd liquidityUsd utilization'
const amounts = `supplied AS "suppliedUsd", protected AS "protectedUsd", supplied + protected AS "tvlUsd",
  borrowed AS "borrowedUsd",
  liquid AS "liquidityUsd", borrowed / nullif(supplied, 0) AS utilization`
const amountSorts = {
  SUPPLIED_USD: 'supplied',
  PROTECTED_USD: 'protected',
  TVL_USD: '(supplied + protected)',
  LIQUIDITY_USD: 'liquid',
  BORROWED_USD: 'borrowed',
  UTILIZATION: 'borrowed / nullif(supplied, 0)',
}
const rateOf = (unit: string, rate: string) =>
  `(SELECT "${rate}Rate" FROM markets m WHERE m.id = p.${unit} AND m."chainId" = p."chainId")`
/** A pool's factor now: the newest, but for that which was removed. */
const factorOf = (
  factor: string,
) => `(SELECT "${factor}" FROM multipliers m WHERE "poolAddress" = p.id
  AND "poolAddress" <> '${pools.wild}' ORDER BY import DESC LIMIT 1)`
const decimalsOf = (chain: string, asset: string) => `coalesce(
  (SELECT min("assetDecimals") FROM markets m WHERE m."chainId" = ${chain} AND m."assetAddress" = ${asset}),
  (SELECT min("assetDecimals") FROM vaults v WHERE v."chainId" = ${chain} AND v."assetAddress" = ${asset}))`

const lists: Record<string, List> = {
  positions: {
    list: 'positions(first: 1000, ORDER WHERE)',
    at: 'positions',
    node: 'legacy { recordId }',
    columns: 'id AS "legacy.recordId"',
    from: 'scored',
    order: 'date DESC, id',
    reversed: 'date, id DESC',
    first: 'DATE DESC',
    sorts: {
      DATE: 'date',
      POINTS: 'points',
      POOL: 'pool',
      USER: '"user"',
      SUPPLIED_USD: '"suppliedUsd"',
      PROTECTED_USD: '"protectedUsd"',
      TVL_USD: '"suppliedUsd" + "protectedUsd"',
      BORROWED_USD: '"borrowedUsd"',
    },
    bound: `users: [${list(all)}]`,
    filters: {
      [`assets: "${tokens.usdc}"`]: `'${tokens.usdc}' IN ("aTokenAddress", "bTokenAddress")`,
      [`assets: ["${tokens.arb}", "${tokens.dust}"]`]: `"aTokenAddress" = '${tokens.arb}' OR "bTokenAddress" = '${tokens.dust}'`,
      [`borrowedUsd: { gt: 0, lte: 100 } ${DATES}`]: '"borrowedUsd" > 0 AND "borrowedUsd" <= 100',
      [`suppliedUsd: { lt: 0.3 } ${DATES}`]: '"suppliedUsd" < 0.3',
      [`protectedUsd: { gt: 0 } ${DATES}`]: '"protectedUsd" > 0',
      [`tvlUsd: { lt: 0.3 } ${DATES}`]: '"suppliedUsd" + "protectedUsd" < 0.3',
      [`points: { gte: 0.3 } ${DATES}`]: 'points >= 0.3',
      [`chainIds: 146 ${DATES}`]: 'chain = 146',
      [`chainIds: [1, 146] ${DATES}`]: 'chain IN (1, 146)',
      'date: { eq: "2025-03-03" }': `date = '2025-03-03'`,
      'date: { in: ["2025-03-03", "2025-03-04", "2025-04-01"] }': `date IN ('2025-03-03', '2025-04-01')`,
      'date: { gt: "2025-03-01", lt: "2025-03-05" }': `date > '2025-03-01' AND date < '2025-03-05'`,
      'date: { gte: "2025-03-01", lte: "2025-03-05" }': `date >= '2025-03-01' AND date <= '2025-03-05'`,
      [`pools: "${pools.wild}"`]: `pool = '${pools.wild}'`,
      [`pools: ["${pools.wild}", "${pools.none}"]`]: `pool IN ('${pools.wild}', '${pools.none}')`,
      [`users: "${users.cat}"`]: `"user" = '${users.cat}'`,
      [`users: ["${users.cat}", "${users.dan}", "${users.gus}"]`]: `"user" IN ('${users.cat}', '${users.dan}')`,
      [`AND: [{ pools: "${pools.eth}" }, { users: "${users.ann}" }]`]: `pool = '${pools.eth}' AND "user" = '${users.ann}'`,
      [`OR: [{ pools: "${pools.none}" }, { points: { gt: 1000 }, chainIds: 1 }] ${DATES}`]: `pool = '${pools.none}' OR points > 1000 AND chain = 1`,
      [`NOT: { pools: "${pools.none}", users: "${users.ann}" } ${DATES}`]: `NOT (pool = '${pools.none}' AND "user" = '${users.ann}')`,
      'users: null, AND: []': 'true',
    },
  },
  leaderboard: {
    list: 'leaderboard(first: 1000, ORDER WHERE)',
    at: 'leaderboard',
    node: 'userAddress rank points',
    columns: 'account AS "userAddress", rank, points',
    from: 'ranks',
    order: 'rank',
    reversed: 'rank DESC',
    first: 'RANK ASC',
    // By points, accounts with the same are as they are ranked: DESC is the order of the ranks, ASC
    // the same reversed.
    sorts: { RANK: 'rank', POINTS: '-rank', USER: 'account' },
    filters: {
      'points: { gt: 0 }': 'points > 0',
      'rank: { in: [2, 4, 100] }': 'rank IN (2, 4)',
      'rank: { gt: 1, lte: 3 }': 'rank > 1 AND rank <= 3',
      'rank: { eq: 1 }': 'rank = 1',
      [`users: "${users.eve}"`]: `account = '${users.eve}'`,
      [`users: ["${users.cat}", "${users.ben}", "${users.gus}"]`]: `account IN ('${users.ben}', '${users.cat}')`,
      [`NOT: { users: ["${users.cat}"] }`]: `account <> '${users.cat}'`,
    },
  },
  pools: {
    list: 'pools(first: 1000, ORDER WHERE)',
    at: 'pools',
    node: `address chainId number name displayName legacy { createdTimestamp interestLastUpdated } createdAt
      marketAAddress marketBAddress
      points: totalPoints positionCount ${AMOUNTS}
      assetA { chainId address symbol name decimals } assetB { chainId address symbol name decimals }`,
    columns: `id AS address, "chainId", "marketId" AS number, name, asset_1_symbol || '·' || asset_2_symbol || '·' || "marketId"
      AS "displayName", "createdTimestamp" AS "legacy.createdTimestamp", to_timestamp("createdTimestamp") AS "createdAt", "interestLastUpdated" AS "legacy.interestLastUpdated", unit_1_id AS "marketAAddress", unit_2_id AS "marketBAddress",
      points, positions AS "positionCount", ${amounts}, "chainId" AS "assetA.chainId", "chainId" AS "assetB.chainId",
      ${decimalsOf('p."chainId"', 'asset_1_address')} AS "assetA.decimals",
      ${decimalsOf('p."chainId"', 'asset_2_address')} AS "assetB.decimals",
      asset_1_address AS "assetA.address", asset_1_symbol AS "assetA.symbol", asset_1_name AS "assetA.name",
      asset_2_address AS "assetB.address", asset_2_symbol AS "assetB.symbol", asset_2_name AS "assetB.name"`,
    from: `(SELECT o.*, n.*, l.*, coalesce((SELECT sum(points) FROM scored WHERE pool = o.id), 0) AS points FROM pools o,
      LATERAL (SELECT count(*) AS positions, ${NOW} FROM scored WHERE pool = o.id AND ${newest}) n,
      LATERAL (SELECT coalesce(sum(greatest(lent, 0)), 0) AS liquid FROM (
        SELECT sum("suppliedUsd"::numeric) - sum("borrowedUsd"::numeric) AS lent FROM sides
        WHERE pool = o.id AND ${newest} GROUP BY side) s) l) p`,
    order: '"marketId", id',
    reversed: '"marketId" DESC, id DESC',
    first: 'NUMBER ASC',
    sorts: {
      ...amountSorts,
      TOTAL_POINTS: 'points',
      POSITION_COUNT: 'positions',
      DEPOSIT_APR_A: rateOf('unit_1_id', 'deposit'),
      DEPOSIT_APR_B: rateOf('unit_2_id', 'deposit'),
      BORROW_APR_A: rateOf('unit_1_id', 'borrow'),
      BORROW_APR_B: rateOf('unit_2_id', 'borrow'),
      BEST_DEPOSIT_APR: `greatest(${rateOf('unit_1_id', 'deposit')}, ${rateOf('unit_2_id', 'deposit')})`,
      LOWEST_BORROW_APR: `least(${rateOf('unit_1_id', 'borrow')}, ${rateOf('unit_2_id', 'borrow')})`,
      MULTIPLIER_DEPOSIT_A: factorOf('deposit_tokenA'),
      MULTIPLIER_DEPOSIT_B: factorOf('deposit_tokenB'),
      MULTIPLIER_BORROW_A: factorOf('borrow_tokenA'),
      MULTIPLIER_BORROW_B: factorOf('borrow_tokenB'),
      NUMBER: '"marketId"',
      ADDRESS: 'id',
      CHAIN_ID: '"chainId"',
      CREATED_AT: '"createdTimestamp"',
      NAME: 'name',
    },
    filters: {
      'tvlUsd: { gte: 100 }': 'supplied + protected >= 100',
      'suppliedUsd: { lt: 100000000 }': 'supplied < 100000000',
      'protectedUsd: { gt: 0 }': 'protected > 0',
      'borrowedUsd: { gt: 0.3, lte: 1e9 }': 'borrowed > 0.3 AND borrowed <= 1e9',
      'liquidityUsd: { gt: 0 }': 'liquid > 0',
      'utilization: { lte: 1 }': 'borrowed <= supplied AND supplied > 0',
      'NOT: { utilization: { gte: 0 } }': 'supplied = 0',
      'totalPoints: { gt: 0 }': 'points > 0',
      'positionCount: { gte: 3 }': 'positions >= 3',
      'depositAprA: { gte: 0.03 }': `${rateOf('unit_1_id', 'deposit')} >= 0.03`,
      'bestDepositApr: { gte: 0.03 }': `greatest(${rateOf('unit_1_id', 'deposit')}, ${rateOf('unit_2_id', 'deposit')}) >= 0.03`,
      'lowestBorrowApr: { lt: 0.08 }': `least(${rateOf('unit_1_id', 'borrow')}, ${rateOf('unit_2_id', 'borrow')}) < 0.08`,
      'borrowAprB: { lt: 0.08 }': `${rateOf('unit_2_id', 'borrow')} < 0.08`,
      'multiplierDepositA: { gt: 1 }': `${factorOf('deposit_tokenA')} > 1`,
      'multiplierBorrowB: { lt: 6 }': `${factorOf('borrow_tokenB')} < 6`,
      [`assets: "${tokens.eth}"`]: `'${tokens.eth}' IN (asset_1_address, asset_2_address)`,
      [`assets: ["${tokens.arb}", "${tokens.dust}"]`]: `asset_1_address = '${tokens.arb}' OR asset_2_address = '${tokens.dust}'`,
      'chainIds: 42161': '"chainId" = 42161',
      'chainIds: [146, 42161]': '"chainId" IN (146, 42161)',
      'createdAt: { lte: "2023-11-14T22:13:29Z" }': '"createdTimestamp" <= 1700000009',
      [`markets: "${markets.same}"`]: `'${markets.same}' IN (unit_1_id, unit_2_id)`,
      'numbers: 20': '"marketId" = 20',
      [`addresses: "${pools.wild}"`]: `id = '${pools.wild}'`,
      [`addresses: ["${pools.wild}", "${pools.arb}"]`]: `id IN ('${pools.wild}', '${pools.arb}')`,
    },
  },
  markets: {
    list: 'markets(first: 1000, ORDER WHERE)',
    at: 'markets',
    node: `chainId address asset { address symbol decimals } depositRate: depositApr borrowRate: borrowApr pool { address }
      ${AMOUNTS} supplied { raw decimals value usd } protected { value } borrowed { value } liquidity { value }`,
    columns: `NULL AS "supplied.raw", CASE WHEN supplied_tokens IS NOT NULL THEN "assetDecimals" END AS "supplied.decimals", trim_scale(supplied_tokens)::text AS "supplied.value",
      supplied AS "supplied.usd", trim_scale(protected_tokens)::text AS "protected.value",
      trim_scale(borrowed_tokens)::text AS "borrowed.value",
      CASE WHEN id = address_of_side THEN trim_scale(greatest(supplied_tokens - borrowed_tokens, 0))::text END AS "liquidity.value",
      "chainId", id AS address, "assetAddress" AS "asset.address", "assetSymbol" AS "asset.symbol", "assetDecimals" AS "asset.decimals", "depositRate", "borrowRate", ${amounts},
      "poolId" AS "pool.address"`,
    // A market whose pool does not name it, or is on another chain, has no amounts.
    from: `(SELECT m.*, n.*, CASE WHEN supplied IS NOT NULL THEN greatest(supplied - borrowed, 0) END AS liquid, CASE WHEN o.id IS NOT NULL THEN m.id END AS address_of_side FROM markets m LEFT JOIN pools o ON o.id = "poolId" AND o."chainId" = m."chainId"
        AND m.id IN (unit_1_id, unit_2_id)
      LEFT JOIN LATERAL (SELECT ${NOW}, ${TOKENS_NOW} FROM sides s WHERE s.pool = o.id AND s.${newest} AND
        s.asset = CASE m.id WHEN unit_1_id THEN asset_1_address ELSE asset_2_address END) n ON o.id IS NOT NULL) m`,
    order: '"chainId", id',
    reversed: '"chainId" DESC, id DESC',
    first: 'CHAIN_ID ASC',
    sorts: {
      ...amountSorts,
      CHAIN_ID: '"chainId"',
      ADDRESS: 'id',
      ASSET_SYMBOL: '"assetSymbol"',
      DEPOSIT_APR: '"depositRate"',
      BORROW_APR: '"borrowRate"',
    },
    filters: {
      [`assets: "${tokens.usdc}"`]: `"assetAddress" = '${tokens.usdc}'`,
      [`assets: ["${tokens.dust}", "${tokens.arb}"]`]: `"assetAddress" IN ('${tokens.dust}', '${tokens.arb}')`,
      'tvlUsd: { gt: 0 }': 'supplied + protected > 0',
      'NOT: { tvlUsd: { gte: 0 } }': 'supplied IS NULL',
      'utilization: { gt: 0 }': 'borrowed > 0 AND supplied > 0',
      'borrowApr: { gte: 0.05, lt: 3 }': '"borrowRate" >= 0.05 AND "borrowRate" < 3',
      'depositApr: { gt: 0, lte: 0.02 }': '"depositRate" > 0 AND "depositRate" <= 0.02',
      'chainIds: 1': '"chainId" = 1',
      'chainIds: [42161]': '"chainId" = 42161',
      [`addresses: "${markets.same}"`]: `id = '${markets.same}'`,
      [`addresses: ["${markets.same}", "${markets.dust}"]`]: `id IN ('${markets.same}', '${markets.dust}')`,
      [`pools: "${pools.eth}"`]: `"poolId" = '${pools.eth}'`,
      [`pools: ["${pools.wild}", "${pools.arb}"]`]: `"poolId" IN ('${pools.wild}', '${pools.arb}')`,
    },
  },
  assets: {
    list: 'assets(first: 1000, ORDER WHERE)',
    at: 'assets',
    node: 'chainId address symbol name decimals',
    columns: `chain AS "chainId", address, symbol, name, ${decimalsOf('chain', 'address')} AS decimals`,
    from: `(SELECT "chainId" AS chain, asset_1_address AS address, asset_1_symbol AS symbol, asset_1_name AS name FROM pools
      UNION SELECT "chainId", asset_2_address, asset_2_symbol, asset_2_name FROM pools
      UNION SELECT m."chainId", "assetAddress", "assetSymbol", "assetSymbol" FROM
        (SELECT "chainId", "assetAddress", "assetSymbol" FROM markets
          UNION SELECT "chainId", "assetAddress", "assetSymbol" FROM vaults) m
        WHERE NOT EXISTS (SELECT FROM pools o WHERE o."chainId" = m."chainId"
          AND "assetAddress" IN (asset_1_address, asset_2_address))) a`,
    order: 'chain, address',
    reversed: 'chain DESC, address DESC',
    first: 'CHAIN_ID ASC',
    sorts: { CHAIN_ID: 'chain', ADDRESS: 'address', NAME: 'name', SYMBOL: 'symbol' },
    filters: {
      [`addresses: "${tokens.usdc}"`]: `address = '${tokens.usdc}'`,
      [`addresses: ["${tokens.dust}", "${tokens.arb}"]`]: `address IN ('${tokens.dust}', '${tokens.arb}')`,
      'chainIds: 146': 'chain = 146',
      'chainIds: [1, 8]': 'chain = 1',
      'symbols: "DUST"': `symbol = 'DUST'`,
    },
  },
  vaults: {
    list: 'vaults(first: 1000, ORDER WHERE)',
    at: 'vaults',
    node: `chainId address name asset { address symbol decimals } depositRate: depositApr
      totalAssets { raw value usd } tvlUsd totalShares sharePrice userCount`,
    columns: `"chainId", id AS address, name, "assetAddress" AS "asset.address", "assetSymbol" AS "asset.symbol",
      "assetDecimals" AS "asset.decimals", "depositRate", assets::text AS "totalAssets.raw",
      trim_scale(assets * 0.000001)::text AS "totalAssets.value", usd AS "totalAssets.usd", usd AS "tvlUsd",
      shares::text AS "totalShares", assets / nullif(shares, 0) AS "sharePrice", coalesce(users, 0) AS "userCount"`,
    // A snapshot with assets of which the value is not known makes that of the vault unknown.
    from: `vaults v LEFT JOIN (SELECT "chainId" AS chain, "vaultId" AS vault, sum(assets) AS assets, sum(shares) AS shares,
        CASE WHEN bool_and("assetsUsd" IS NOT NULL OR assets = 0) THEN coalesce(sum("assetsUsd"::numeric), 0) END AS usd,
        count(DISTINCT "accountId") FILTER (WHERE assets > 0 OR shares > 0) AS users
      FROM now_in_vaults GROUP BY 1, 2) n ON chain = "chainId" AND vault = id`,
    order: '"chainId", id',
    reversed: '"chainId" DESC, id DESC',
    first: 'CHAIN_ID ASC',
    sorts: {
      CHAIN_ID: '"chainId"',
      ADDRESS: 'id',
      ASSET_SYMBOL: '"assetSymbol"',
      DEPOSIT_APR: '"depositRate"',
      NAME: 'name',
      TVL_USD: 'usd',
      SHARE_PRICE: 'assets / nullif(shares, 0)',
      USER_COUNT: 'coalesce(users, 0)',
    },
    filters: {
      'tvlUsd: { gte: 60 }': 'usd >= 60',
      'NOT: { tvlUsd: { gte: 0 } }': 'usd IS NULL',
      'sharePrice: { gt: 1 }': 'assets > shares',
      'userCount: { eq: 2 }': 'users = 2',
      [`assets: "${tokens.usdc}"`]: `"assetAddress" = '${tokens.usdc}'`,
      [`assets: ["${tokens.dust}"]`]: `"assetAddress" = '${tokens.dust}'`,
      'chainIds: 1': '"chainId" = 1',
      'chainIds: [42161, 7]': '"chainId" = 42161',
      'depositApr: { gt: 0.02 }': '"depositRate" > 0.02',
      [`addresses: "${vaults.same}"`]: `id = '${vaults.same}'`,
      [`addresses: ["${vaults.twin}"]`]: `id = '${vaults.twin}'`,
    },
  },
  distributions: {
    list: 'distributions(first: 1000, ORDER WHERE)',
    at: 'distributions',
    node: 'date kind totalPoints: points positionCount userCount',
    columns: `date, 'IMPORT' AS kind, points AS "totalPoints", positions AS "positionCount", accounts AS "userCount"`,
    from: `(SELECT date, sum(points) AS points, count(*) AS positions, count(DISTINCT "user") AS accounts
      FROM scored GROUP BY date) d`,
    order: 'date DESC',
    reversed: 'date',
    first: 'DATE DESC',
    sorts: { DATE: 'date', POINTS: 'points', POSITION_COUNT: 'positions', USER_COUNT: 'accounts' },
    filters: {
      'date: { gte: "2025-03-05" }': `date >= '2025-03-05'`,
      'positionCount: { lt: 12 }': 'positions < 12',
      'userCount: { eq: 5 }': 'accounts = 5',
      'points: { gt: 1000000 }': 'points > 1000000',
      'NOT: { kinds: RESYNC }': 'true',
    },
  },
  'days of a user': {
    list: `user(address: "${users.ann}") { dailyPoints(first: 1000, ORDER WHERE)`,
    at: 'user.dailyPoints',
    node: 'distributionDate: date points positionCount',
    columns: 'date AS "distributionDate", points, positions AS "positionCount"',
    from: `(SELECT date, sum(points) AS points, count(*) AS positions FROM scored WHERE "user" = '${users.ann}'
      GROUP BY date) d`,
    order: 'date',
    reversed: 'date DESC',
    first: 'DATE ASC',
    sorts: { DATE: 'date', POINTS: 'points', POSITION_COUNT: 'positions' },
    filters: {
      'date: { lt: "2025-03-03" }': `date < '2025-03-03'`,
      'points: { gt: 1000 }': 'points > 1000',
      'positionCount: { in: [2, 4] }': 'positions IN (2, 4)',
    },
  },
  'market snapshots of a user': {
    list: `user(address: "${users.ann}") { legacy { marketSnapshots(first: 1000, ORDER WHERE)`,
    at: 'user.legacy.marketSnapshots',
    node: 'chainId entityAddress positionId legacy { timestamp }',
    columns:
      's."chainId", "marketId" AS "entityAddress", "positionId", timestamp::text AS "legacy.timestamp"',
    from: `market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId" AND "accountId" = '${users.ann}'`,
    order: 's.timestamp, s."chainId", "marketId", "positionId"',
    reversed: 's.timestamp DESC, s."chainId" DESC, "marketId" DESC, "positionId" DESC',
    first: 'TIME ASC',
    sorts: {
      TIME: 's.timestamp',
      CHAIN_ID: 's."chainId"',
      ENTITY: '"marketId"',
      USER: '"accountId"',
      SUPPLIED_USD: '"collateralUsd"',
      PROTECTED_USD: '"protectedUsd"',
      BORROWED_USD: '"debtUsd"',
    },
    filters: {
      [`assets: "${tokens.eth}"`]: `"assetAddress" = '${tokens.eth}'`,
      'chainIds: 42161': 's."chainId" = 42161',
      'chainIds: [1]': 's."chainId" = 1',
      [`entities: "${markets.usdc}"`]: `"marketId" = '${markets.usdc}'`,
      [`entities: ["${markets.usdc}", "${markets.dust}"]`]: `"marketId" = '${markets.usdc}'`,
      'suppliedUsd: { lte: 0.2 }': '"collateralUsd" <= 0.2',
      'protectedUsd: { gt: 0 }': '"protectedUsd" > 0',
      'NOT: { borrowedUsd: { gt: 100 } }': '"debtUsd" IS NULL OR "debtUsd" <= 100',
      'time: { eq: "2025-03-01" }': 's.timestamp = 1740787200',
      'time: { gt: "2025-03-01", lt: "2025-04-01" }':
        's.timestamp > 1740787200 AND s.timestamp < 1743465600',
      'time: { in: ["2025-04-01", "1970-01-01T00:00:01Z"] }': 's.timestamp = 1743465600',
    },
  },
  'snapshots of a user': {
    list: `user(address: "${users.ann}") { snapshots(first: 1000, ORDER WHERE)`,
    at: 'user.snapshots',
    node: 'chainId entityType entityAddress positionId time',
    columns:
      '"chainId", type AS "entityType", entity AS "entityAddress", "positionId", to_timestamp(timestamp) AS time',
    from: `(SELECT s."chainId", 'MARKET' AS type, "marketId" AS entity, "accountId", "positionId", timestamp, "collateralUsd" AS supplied,
        "protectedUsd" AS protected, "debtUsd" AS borrowed, "assetAddress" AS asset
      FROM market_snapshots s JOIN markets m ON m."chainId" = s."chainId" AND m.id = "marketId" AND "accountId" = '${users.ann}'
      UNION ALL SELECT s."chainId", 'VAULT', "vaultId", "accountId", "positionId", timestamp, "assetsUsd", NULL, NULL, "assetAddress"
      FROM vault_snapshots s JOIN vaults v ON v."chainId" = s."chainId" AND v.id = "vaultId" AND "accountId" = '${users.ann}') r`,
    order: 'timestamp, "chainId", entity, "positionId", type',
    reversed: 'timestamp DESC, "chainId" DESC, entity DESC, "positionId" DESC, type DESC',
    first: 'TIME ASC',
    sorts: {
      TIME: 'timestamp',
      CHAIN_ID: '"chainId"',
      ENTITY: 'entity',
      USER: '"accountId"',
      SUPPLIED_USD: 'supplied',
      PROTECTED_USD: 'protected',
      BORROWED_USD: 'borrowed',
    },
    filters: {
      [`assets: "${tokens.usdc}"`]: `asset = '${tokens.usdc}'`,
      'entityTypes: VAULT': "type = 'VAULT'",
      [`entities: ["${vaults.same}", "${markets.usdc}"]`]: `entity IN ('${vaults.same}', '${markets.usdc}')`,
      'suppliedUsd: { lte: 0.2 }': 'supplied <= 0.2',
      'protectedUsd: { gt: 0 }': 'protected > 0',
      'NOT: { borrowedUsd: { gt: 100 } }': 'borrowed IS NULL OR borrowed <= 100',
      'time: { gt: "2025-03-01", lt: "2025-04-01" }':
        'timestamp > 1740787200 AND timestamp < 1743465600',
    },
  },
  'vault snapshots of a vault': {
    list: `vault(chainId: 1, address: "${vaults.same}") { snapshots(first: 1000, ORDER WHERE)`,
    at: 'vault.snapshots',
    node: 'userAddress positionId legacy { timestamp }',
    columns: '"accountId" AS "userAddress", "positionId", timestamp::text AS "legacy.timestamp"',
    from: `vault_snapshots s JOIN vaults v ON v."chainId" = s."chainId" AND v.id = "vaultId" AND v.id = '${vaults.same}'
      AND v."chainId" = 1`,
    order: 's.timestamp, "accountId", "positionId"',
    reversed: 's.timestamp DESC, "accountId" DESC, "positionId" DESC',
    first: 'TIME ASC',
    bound: `users: [${list(all)}]`,
    sorts: {
      TIME: 's.timestamp',
      CHAIN_ID: 's."chainId"',
      ENTITY: '"vaultId"',
      USER: '"accountId"',
      SUPPLIED_USD: '"assetsUsd"',
    },
    filters: {
      [`assets: "${tokens.usdc}"`]: `"assetAddress" = '${tokens.usdc}'`,
      'suppliedUsd: { gte: 0.000004, lt: 11.5 }': '"assetsUsd" >= 0.000004 AND "assetsUsd" < 11.5',
      'NOT: { suppliedUsd: { gte: 0 } }': '"assetsUsd" IS NULL',
      'time: { gte: "2025-03-02", lte: "2025-03-31T23:59:59Z" }':
        's.timestamp BETWEEN 1740873600 AND 1743465599',
      [`users: "${users.ann}"`]: `"accountId" = '${users.ann}'`,
      [`users: ["${users.ben}", "${users.cat}"]`]: `"accountId" IN ('${users.ben}', '${users.cat}')`,
      [`entities: "${vaults.same}", chainIds: 1`]: 'true',
      [`OR: [{ entities: ["${vaults.twin}"] }, { chainIds: [1], users: "${users.cat}" }]`]: `"accountId" = '${users.cat}'`,
    },
  },
  'rewards of a user': {
    list: `user(address: "${users.ann}") { liquidationRewards(first: 1000, ORDER WHERE)`,
    at: 'user.liquidationRewards',
    node: 'chainId entityType entityAddress debtMarketAddress txHash logIndex',
    columns:
      '"chainId", type AS "entityType", entity AS "entityAddress", "debtMarketId" AS "debtMarketAddress", "txHash", "logIndex"',
    from: `(SELECT "chainId", 'MARKET' AS type, "collateralMarketId" AS entity, "debtMarketId", "txHash", "logIndex", timestamp,
        "claimedTimestamp", "supplySentUsd", "collateralReceivedUsd", "liquidRewardUsd"
      FROM market_liquidation_rewards WHERE "accountId" = '${users.ann}'
      UNION ALL SELECT "chainId", 'VAULT', "vaultId", NULL, "txHash", "logIndex", timestamp, "claimedTimestamp", "supplySentUsd",
        "collateralReceivedUsd", "liquidRewardUsd" FROM vault_liquidation_rewards WHERE "accountId" = '${users.ann}') r`,
    order: 'timestamp DESC, "logIndex" DESC, "txHash", "chainId", type',
    reversed: 'timestamp, "logIndex", "txHash" DESC, "chainId" DESC, type DESC',
    first: 'TIME DESC',
    sorts: {
      TIME: 'timestamp',
      CHAIN_ID: '"chainId"',
      CLAIMED_AT: '"claimedTimestamp"',
      SUPPLY_SENT_USD: '"supplySentUsd"',
      COLLATERAL_RECEIVED_USD: '"collateralReceivedUsd"',
      LIQUID_REWARD_USD: '"liquidRewardUsd"',
    },
    filters: {
      'chainIds: 42161': '"chainId" = 42161',
      'chainIds: [1, 2]': '"chainId" = 1',
      'claimed: true': '"claimedTimestamp" IS NOT NULL',
      'claimed: false': '"claimedTimestamp" IS NULL',
      'claimedAt: { gt: "2025-03-02" }': '"claimedTimestamp" > 1740873600',
      'supplySentUsd: { gte: 10, lt: 20 }': '"supplySentUsd" >= 10 AND "supplySentUsd" < 20',
      'collateralReceivedUsd: { gt: 8 }': '"collateralReceivedUsd" > 8',
      'liquidRewardUsd: { lte: 0.2 }': '"liquidRewardUsd" <= 0.2',
      [`debtMarkets: "${markets.arbUsdc}"`]: `"debtMarketId" = '${markets.arbUsdc}'`,
      'entityTypes: VAULT': "type = 'VAULT'",
      'entityTypes: [MARKET]': "type = 'MARKET'",
      [`entities: "${markets.dust}", entityTypes: MARKET`]: `type = 'MARKET' AND entity = '${markets.dust}'`,
      [`entities: ["${markets.same}", "${vaults.twin}"]`]: `entity IN ('${markets.same}', '${vaults.twin}')`,
      [`users: "${users.ann}", entities: "${vaults.same}"`]: `entity = '${vaults.same}'`,
      'time: { lt: "2025-04-01" }': 'timestamp < 1743465600',
    },
  },
  multipliers: {
    list: 'multipliers(first: 1000, ORDER WHERE)',
    at: 'multipliers',
    node: 'poolAddress depositA depositB borrowA borrowB createdAt updatedAt pool { name }',
    columns: `"poolAddress", "deposit_tokenA" AS "depositA", "deposit_tokenB" AS "depositB",
      "borrow_tokenA" AS "borrowA", "borrow_tokenB" AS "borrowB", m."createdAt", m."updatedAt",
      o.name AS "pool.name"`,
    // The newest of each pool, but for that which was removed.
    from: `(SELECT DISTINCT ON ("poolAddress") * FROM multipliers WHERE "poolAddress" <> '${pools.wild}'
      ORDER BY "poolAddress", import DESC) m JOIN pools o ON o.id = "poolAddress"`,
    order: '"marketId", "poolAddress"',
    reversed: '"marketId" DESC, "poolAddress" DESC',
    first: 'POOL_NUMBER ASC',
    sorts: {
      POOL_NUMBER: '"marketId"',
      POOL: '"poolAddress"',
      DEPOSIT_A: '"deposit_tokenA"',
      DEPOSIT_B: '"deposit_tokenB"',
      BORROW_A: '"borrow_tokenA"',
      BORROW_B: '"borrow_tokenB"',
    },
    filters: {
      [`assets: "${tokens.arb}"`]: `'${tokens.arb}' IN (asset_1_address, asset_2_address)`,
      'chainIds: 1': '"chainId" = 1',
      'depositA: { gt: 1 }': '"deposit_tokenA" > 1',
      'depositB: { lte: 0 }': '"deposit_tokenB" <= 0',
      'borrowA: { gte: 4 }': '"borrow_tokenA" >= 4',
      'borrowB: { gt: 0 }': '"borrow_tokenB" > 0',
      [`pools: "${pools.arb}"`]: `"poolAddress" = '${pools.arb}'`,
      [`pools: ["${pools.eth}", "${pools.none}"]`]: `"poolAddress" = '${pools.eth}'`,
      'updatedAt: { gt: "2025-03-01" }': `m."updatedAt" > '2025-03-01'`,
    },
  },
  'all users': {
    list: 'users(first: 1000, ORDER WHERE)',
    at: 'users',
    node: 'address',
    columns: 'address',
    from: `(SELECT unnest(ARRAY['${all.join("', '")}']) COLLATE "C" AS address) u`,
    order: 'address',
    reversed: 'address DESC',
    first: 'ADDRESS ASC',
    sorts: { ADDRESS: 'address' },
    filters: {
      [`addresses: "${users.hal}"`]: `address = '${users.hal}'`,
      [`NOT: { addresses: ["${users.hal}", "${users.ann}"] }`]: `address NOT IN ('${users.hal}', '${users.ann}')`,
    },
  },
}

/** The list with its arguments, and the braces that it is within. */
const query = ({ list, node }: List, where: string, order: string) =>
  `${list.replace('WHERE', `where: { ${where} }`).replace('ORDER', orderArguments(order))} { totalCount nodes { ${node} } }${' }'.repeat(
    list.split('{').length - list.split('}').length,
  )}`

const sorted = (noun: string, list: List, key: string, direction: 'ASC' | 'DESC'): Fact => {
  const { order, reversed, first } = list
  const isFirst = first.startsWith(`${key} `)
  const byFirst = first.endsWith(direction) ? order : reversed
  const by = isFirst ? byFirst : `${list.sorts[key]} ${direction} NULLS LAST, ${order}`
  return {
    name: `${noun} by ${key}_${direction}`,
    query: query(list, list.bound ?? '', `${key}_${direction}`),
    at: `${list.at}.nodes`,
    sql: `SELECT ${list.columns} FROM ${list.from} ORDER BY ${by}`,
    total: `SELECT count(*) FROM ${list.from}`,
  }
}

const filtered = (noun: string, list: List, where: string, condition: string): Fact => ({
  name: `${noun} where ${where}`,
  query: query(list, where, ''),
  at: `${list.at}.nodes`,
  sql: `SELECT ${list.columns} FROM ${list.from} WHERE ${condition} ORDER BY ${list.order}`,
  total: `SELECT count(*) FROM ${list.from} WHERE ${condition}`,
})

/** Several keys, then the list's own order; null last in both directions. */
const severalKeys: Fact[] = [
  {
    name: 'positions by two keys, then by their own order',
    query: `positions(first: 1000, where: { date: { gte: "${dates[3]}" }, users: [${list(all)}] },
      orderBy: [TVL_USD, POOL], orderDirection: [DESC, ASC]) { nodes { legacy { recordId } } }`,
    at: 'positions.nodes',
    sql: `SELECT id AS "legacy.recordId" FROM scored WHERE date >= '${dates[3]}' ORDER BY "suppliedUsd" + "protectedUsd" DESC, pool, date DESC, id`,
  },
  {
    name: 'market snapshots of a market by a key with nulls, then by another',
    query: `market(chainId: 1, address: "${markets.same}") { snapshots(where: { users: [${list(all)}] },
      orderBy: [PROTECTED_USD, BORROWED_USD], orderDirection: [DESC, ASC]) { nodes { userAddress positionId legacy { timestamp } } } }`,
    at: 'market.snapshots.nodes',
    sql: `SELECT "accountId" AS "userAddress", "positionId", timestamp::text AS "legacy.timestamp" FROM market_snapshots s
      WHERE "marketId" = '${markets.same}' AND "chainId" = 1
      ORDER BY "protectedUsd" DESC NULLS LAST, "debtUsd" NULLS LAST, s.timestamp, "accountId", "positionId"`,
  },
  {
    name: 'an empty list of values matches nothing',
    query: 'positions(where: { pools: [] }) { totalCount nodes { legacy { recordId } } }',
    at: 'positions.nodes',
    sql: 'SELECT WHERE false',
    total: 'SELECT 0::int8 AS count',
    empty: true,
  },
  {
    name: 'an empty OR matches nothing',
    query: 'pools(where: { OR: [] }) { totalCount nodes { name } }',
    at: 'pools.nodes',
    sql: 'SELECT WHERE false',
    total: 'SELECT 0::int8 AS count',
    empty: true,
  },
]

export const listFacts: Fact[] = [
  ...Object.entries(lists).flatMap(([noun, list]) => [
    ...Object.keys(list.sorts).flatMap((key) => [
      sorted(noun, list, key, 'ASC'),
      sorted(noun, list, key, 'DESC'),
    ]),
    ...Object.entries(list.filters).map(([where, condition]) =>
      filtered(noun, list, where, condition),
    ),
  ]),
  ...severalKeys,
]
