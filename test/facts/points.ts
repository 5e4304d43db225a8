import { dates, pools, tokens, users } from './data.ts'
import type { Fact } from './fact.ts'

/**
 * The program: its totals, distributions, runs, multipliers and their history, and everything as of
 * a date.
 */

const REVISION = 'poolAddress depositA depositB borrowA borrowB changedAt'
const revision = `"poolAddress", "deposit_tokenA" AS "depositA", "deposit_tokenB" AS "depositB",
  "borrow_tokenA" AS "borrowA", "borrow_tokenB" AS "borrowB", "updatedAt" AS "changedAt"`
const WAS = (moment: string) => `(SELECT DISTINCT ON ("poolAddress") * FROM multipliers
  WHERE "updatedAt" <= '${moment}' ORDER BY "poolAddress", import DESC) m`

/** Before and after each of the moments at which something changes. */
const moments = ['2025-02-27', '2025-02-28', '2025-03-04', '2025-03-31', '2025-04-01', '2030-01-01']
const dateAt = (moment: string) =>
  `(SELECT max(date) FROM scored WHERE date <= '${moment}'::timestamptz)`

const TOKENS =
  'supplied { value usd } protected { value } borrowed { raw value } liquidity { value }'

/** The sums of one side of positions `s`. */
const sideSums = (side: string) => {
  const sum = (what: string) => `coalesce(sum("${side}${what}AmountUsd"::numeric), 0)`
  const tokens = (what: string) => `coalesce(sum("${side}${what}Amount"::text::numeric), 0)`
  const at = `totals.side${side.toUpperCase()}`
  return `${sum('Supplied')} AS "${at}.suppliedUsd", ${sum('ProtectedSupplied')} AS "${at}.protectedUsd",
    ${sum('Supplied')} + ${sum('ProtectedSupplied')} AS "${at}.tvlUsd", ${sum('Borrowed')} AS "${at}.borrowedUsd",
    greatest(${sum('Supplied')} - ${sum('Borrowed')}, 0) AS "${at}.liquidityUsd",
    ${sum('Borrowed')} / nullif(${sum('Supplied')}, 0) AS "${at}.utilization",
    trim_scale(${tokens('Supplied')})::text AS "${at}.supplied.value", ${sum('Supplied')} AS "${at}.supplied.usd",
    trim_scale(${tokens('ProtectedSupplied')})::text AS "${at}.protected.value",
    trim_scale(${tokens('Borrowed')})::text AS "${at}.borrowed.value", NULL AS "${at}.borrowed.raw",
    trim_scale(greatest(${tokens('Supplied')} - ${tokens('Borrowed')}, 0))::text AS "${at}.liquidity.value"`
}

/** Windows of the leaderboard, and their positions. */
const windows: [args: string, condition: string][] = [
  ['from: "2025-03-02", to: "2025-03-02"', `date = '2025-03-02'`],
  ['from: "2025-02-27", to: "2025-03-05"', `date BETWEEN '2025-02-27' AND '2025-03-05'`],
  ['from: "2025-03-01", to: "2025-03-31"', `date BETWEEN '2025-03-01' AND '2025-03-31'`],
  ['from: "2025-03-03", to: "2025-03-05"', `date BETWEEN '2025-03-03' AND '2025-03-05'`],
  ['from: "2025-03-31"', `date >= '2025-03-31'`],
  ['from: "2025-02-01"', 'true'],
  ['to: "2025-03-01"', `date <= '2025-03-01'`],
  [`pool: "${pools.eth}"`, `pool = '${pools.eth}'`],
  [
    `pool: "${pools.none}", from: "2025-03-02", to: "2025-03-04"`,
    `pool = '${pools.none}' AND date BETWEEN '2025-03-02' AND '2025-03-04'`,
  ],
  [
    `pool: "${pools.wild}", chainId: 146, from: "2025-03-31"`,
    `pool = '${pools.wild}' AND date >= '2025-03-31'`,
  ],
  [`chainId: 1, to: "2025-03-31"`, `chain = 1 AND date <= '2025-03-31'`],
  ['chainId: 42161, from: "2025-03-01"', `chain = 42161 AND date >= '2025-03-01'`],
  ['from: "2025-03-06", to: "2025-03-30"', 'false'],
  ['to: "2025-02-27"', 'false'],
  ['from: "2030-01-01"', 'false'],
  ['chainId: 5', 'false'],
  [`pool: "${pools.eth}", chainId: 42161`, 'false'],
  [`pool: "${users.ann}"`, 'false'],
]

export const pointsFacts: Fact[] = [
  {
    name: 'the program adds all accounts up',
    query: 'program { totalPoints userCount positionCount: recordCount }',
    at: 'program',
    sql: `SELECT sum(points) AS "totalPoints", count(DISTINCT "user") AS "userCount", count(*) AS "positionCount" FROM scored`,
  },
  {
    name: 'a distribution adds the positions of its date up',
    query:
      'distribution(date: "2025-03-05") { date kind totalPoints: points positionCount userCount }',
    at: 'distribution',
    sql: `SELECT date, 'IMPORT' AS kind, sum(points) AS "totalPoints", count(*) AS "positionCount",
        count(DISTINCT "user") AS "userCount" FROM scored WHERE date = '2025-03-05' GROUP BY date`,
  },
  {
    name: 'a date in a gap has no distribution',
    query: 'distribution(date: "2025-03-04") { date }',
    at: 'distribution',
    sql: `SELECT date FROM scored WHERE date = '2025-03-04'`,
    empty: true,
  },
  {
    name: "a distribution's positions are by id: capitals first",
    query:
      'distribution(date: "2025-03-05") { positions { totalCount nodes { legacy { recordId } pointsA pointsB } } }',
    at: 'distribution.positions.nodes',
    sql: `SELECT id AS "legacy.recordId", "pointsA", "pointsB" FROM scored WHERE date = '2025-03-05' ORDER BY id`,
    total: `SELECT count(*) FROM scored WHERE date = '2025-03-05'`,
  },
  {
    name: 'each date that an import brought has a run',
    query: `runs(where: { kinds: IMPORT }, orderBy: DATE, orderDirection: DESC) { totalCount nodes { date kind status error
      totalsAfter { totalPoints: points positionCount userCount } totalsBefore { totalPoints: points positionCount userCount }
      basePointsDeposit basePointsBorrow distribution { date } } }`,
    at: 'runs.nodes',
    sql: `SELECT date, 'IMPORT' AS kind, 'SUCCEEDED' AS status, NULL AS error, sum(points) AS "totalsAfter.totalPoints",
        count(*) AS "totalsAfter.positionCount", count(DISTINCT "user") AS "totalsAfter.userCount", 0 AS "totalsBefore.totalPoints",
        0 AS "totalsBefore.positionCount", 0 AS "totalsBefore.userCount", 1 AS "basePointsDeposit", 0.5::float8 AS "basePointsBorrow",
        date AS "distribution.date"
      FROM scored GROUP BY date ORDER BY date DESC`,
    total: 'SELECT count(DISTINCT date) FROM scored',
  },
  {
    name: 'runs of one date',
    query: 'runs(where: { date: { eq: "2025-03-31" }, statuses: SUCCEEDED }) { nodes { date } }',
    at: 'runs.nodes',
    sql: `SELECT date '2025-03-31' AS date`,
  },
  {
    name: 'a run used the multipliers of its time',
    query:
      'distributions { nodes { date run { multipliers { nodes { poolAddress depositA borrowB } } } } }',
    at: 'distributions.nodes.run.multipliers.nodes',
    sql: `SELECT "poolAddress", "deposit_tokenA" AS "depositA", "borrow_tokenB" AS "borrowB"
      FROM (SELECT DISTINCT date, import FROM scored s JOIN positions p ON p.id = s.id) d,
        LATERAL (SELECT DISTINCT ON ("poolAddress") * FROM multipliers WHERE import <= d.import
          ORDER BY "poolAddress", import DESC) m
      ORDER BY date DESC, "poolAddress"`,
  },
  {
    name: 'positions name the multiplier that made their points, but for points that came with the import',
    query: `positions(first: 1000, where: { users: ["${users.ann}", "${users.dan}"] }) { nodes { legacy { recordId }
      multiplierUsed { poolAddress depositA } run { date kind } } }`,
    at: 'positions.nodes',
    sql: `SELECT p.id AS "legacy.recordId", CASE WHEN "pointsA" IS NULL THEN m."poolAddress" END AS "multiplierUsed.poolAddress",
        CASE WHEN "pointsA" IS NULL THEN m."deposit_tokenA" END AS "multiplierUsed.depositA",
        "distributionDate" AS "run.date", 'IMPORT' AS "run.kind"
      FROM positions p LEFT JOIN LATERAL (SELECT * FROM multipliers WHERE "poolAddress" = "marketAddress"
        AND import <= p.import ORDER BY import DESC LIMIT 1) m ON true
      WHERE "userAddress" IN ('${users.ann}', '${users.dan}') ORDER BY "distributionDate" DESC, p.id`,
  },

  {
    name: 'the history of multipliers, newest first; what was removed has nulls',
    query: `multiplierRevisions { totalCount nodes { poolAddress depositA depositB borrowA borrowB } }`,
    at: 'multiplierRevisions.nodes',
    sql: `SELECT * FROM (SELECT "poolAddress", "deposit_tokenA" AS "depositA", "deposit_tokenB" AS "depositB",
          "borrow_tokenA" AS "borrowA", "borrow_tokenB" AS "borrowB" FROM multipliers
        UNION ALL SELECT '${pools.wild}', NULL, NULL, NULL, NULL) h`,
    total: 'SELECT count(*) + 1 FROM multipliers',
    unordered: true,
  },
  {
    name: "a pool's history says who changed what and when",
    query: `multiplierRevisions(where: { pools: "${pools.eth}" }) { nodes { ${REVISION} changedBy pool { name } } }`,
    at: 'multiplierRevisions.nodes',
    sql: `SELECT ${revision}, 'import' AS "changedBy", (SELECT name FROM pools WHERE id = "poolAddress") AS "pool.name"
      FROM multipliers WHERE "poolAddress" = '${pools.eth}' ORDER BY import DESC`,
  },
  {
    name: "a multiplier's own history",
    query: `pool(address: "${pools.eth}") { multiplier { revisions(first: 1) { totalCount nodes { ${REVISION} } } } }`,
    at: 'pool.multiplier.revisions.nodes',
    sql: `SELECT ${revision} FROM multipliers WHERE "poolAddress" = '${pools.eth}' ORDER BY import DESC LIMIT 1`,
    total: `SELECT count(*) FROM multipliers WHERE "poolAddress" = '${pools.eth}'`,
  },
  ...[
    '2025-01-31',
    '2025-02-01',
    '2025-02-02T12:00:00Z',
    '2025-03-10T11:59:59.999Z',
    '2025-03-10T12:00:00Z',
  ].map(
    (moment): Fact => ({
      name: `multipliers as of ${moment}, those of pools that have none now among them`,
      query: `multiplierRevisions(at: "${moment}") { totalCount nodes { ${REVISION} } }`,
      at: 'multiplierRevisions.nodes',
      sql: `SELECT ${revision} FROM ${WAS(moment)} ORDER BY "poolAddress"`,
      total: `SELECT count(*) FROM ${WAS(moment)}`,
      ...(moment === '2025-01-31' ? { empty: true as const } : {}),
    }),
  ),
  {
    name: "a pool's multiplier at a moment",
    query: `multiplierRevisions(at: "2025-03-10T11:59:59.999Z", where: { pools: "${pools.eth}" }) { totalCount nodes { ${REVISION} } }`,
    at: 'multiplierRevisions.nodes',
    sql: `SELECT ${revision} FROM multipliers WHERE "poolAddress" = '${pools.eth}' AND import = 1`,
    total: 'SELECT 1',
  },
  {
    name: 'a multiplier that was removed no longer counts as one',
    query: `multiplierRevisions(at: "2999-01-01", where: { pools: ["${pools.wild}"] }) { nodes { poolAddress } }`,
    at: 'multiplierRevisions.nodes',
    sql: 'SELECT WHERE false',
    empty: true,
  },

  ...moments.flatMap((moment): Fact[] => {
    const none = moment < dates[0]! ? { empty: true as const } : {}
    return [
      {
        name: `the leaderboard as of ${moment}`,
        query: `leaderboard(scope: { asOf: "${moment}" }) { totalCount nodes { userAddress points rank } }`,
        at: 'leaderboard.nodes',
        sql: `SELECT "user" AS "userAddress", sum(points) AS points, row_number() OVER (ORDER BY sum(points) DESC, "user") AS rank
          FROM scored WHERE date <= ${dateAt(moment)} GROUP BY "user" ORDER BY rank`,
        total: `SELECT count(DISTINCT "user") FROM scored WHERE date <= ${dateAt(moment)}`,
        ...none,
      },
      {
        name: `the program's totals as of ${moment}`,
        query: `program(asOf: "${moment}") { totalPoints userCount positionCount: recordCount }`,
        at: 'program',
        sql: `SELECT coalesce(sum(points), 0) AS "totalPoints", count(DISTINCT "user") AS "userCount", count(*) AS "positionCount"
          FROM scored WHERE date <= ${dateAt(moment)}`,
      },
      {
        name: `positions as of ${moment} are those of the last date up to it`,
        query: `positions(asOf: "${moment}", first: 1000) { totalCount nodes { legacy { recordId } distributionDate: date } }`,
        at: 'positions.nodes',
        sql: `SELECT id AS "legacy.recordId", date AS "distributionDate" FROM scored WHERE date = ${dateAt(moment)} ORDER BY id`,
        total: `SELECT count(*) FROM scored WHERE date = ${dateAt(moment)}`,
        ...none,
      },
    ]
  }),
  ...windows.flatMap(([args, condition]): Fact[] => {
    const board = `(SELECT "user", sum(points) AS points, row_number() OVER (ORDER BY sum(points) DESC, "user") AS rank
      FROM scored WHERE ${condition} GROUP BY "user") b`
    const rows = (sql: string) =>
      `SELECT "user" AS "userAddress", points, rank FROM ${board} ${sql}`
    const none = condition.startsWith('false') ? { empty: true as const } : {}
    const fact = (more: string, sql: string): Fact => ({
      name: `leaderboard(${args}) ${more}`,
      query: `leaderboard(scope: { window: { ${args} } } ${more}) { nodes { userAddress points rank } }`,
      at: 'leaderboard.nodes',
      sql: rows(sql),
      ...none,
    })
    const whole = fact('', 'ORDER BY rank')
    return [
      {
        ...whole,
        query: whole.query.replace('nodes', 'totalCount nodes'),
        total: `SELECT count(DISTINCT "user") FROM scored WHERE ${condition}`,
      },
      fact('first: 2, offset: 1', 'ORDER BY rank LIMIT 2 OFFSET 1'),
      fact(
        'where: { rank: { lte: 2 } }, orderBy: USER, orderDirection: DESC',
        'WHERE rank <= 2 ORDER BY "user" DESC',
      ),
      ...(['ann', 'cat', 'dan', 'gus'] as const).map((name) => ({
        name: `leaderboard(${args}) around ${name}`,
        query: `leaderboard: leaderboardAround(scope: { window: { ${args} } } user: "${users[name]}") { aroundRank }`,
        at: 'leaderboard',
        sql: `SELECT (SELECT rank FROM ${board} WHERE "user" = '${users[name]}') AS "aroundRank"`,
      })),
    ]
  }),
  {
    name: "a pool's and a user's positions as of a moment are of the program's last date up to it",
    query: `pool(address: "${pools.none}") { positions(asOf: "2025-03-10") { nodes { legacy { recordId } user {
      positions(asOf: "2025-03-04") { nodes { legacy { recordId } } } } } } }`,
    at: 'pool.positions.nodes.user.positions.nodes',
    sql: `SELECT o.id AS "legacy.recordId" FROM scored s JOIN scored o ON o."user" = s."user" AND o.date = '2025-03-03'
      WHERE s.date = '2025-03-05' AND s.pool = '${pools.none}' ORDER BY s.id, o.id`,
  },
  ...['2025-03-04', '2025-03-31', '2025-04-01'].map(
    (moment): Fact => ({
      name: `pools as of ${moment}: points up to the date, amounts on it`,
      query: `pools { nodes { address totals(asOf: "${moment}") { date points: totalPoints pointsOfDate: points positionCount suppliedUsd
        protectedUsd borrowedUsd tvlUsd multiplier { depositA } } } }`,
      at: 'pools.nodes',
      sql: `SELECT o.id AS address, ${dateAt(moment)} AS "totals.date",
          coalesce(sum(points), 0) AS "totals.points",
          coalesce(sum(points) FILTER (WHERE now), 0) AS "totals.pointsOfDate",
          count(*) FILTER (WHERE now) AS "totals.positionCount",
          coalesce(sum("suppliedUsd") FILTER (WHERE now), 0) AS "totals.suppliedUsd",
          coalesce(sum("protectedUsd") FILTER (WHERE now), 0) AS "totals.protectedUsd",
          coalesce(sum("borrowedUsd") FILTER (WHERE now), 0) AS "totals.borrowedUsd",
          coalesce(sum("suppliedUsd" + "protectedUsd") FILTER (WHERE now), 0) AS "totals.tvlUsd",
          (SELECT "deposit_tokenA" FROM ${WAS(`${moment}`)} WHERE "poolAddress" = o.id) AS "totals.multiplier.depositA"
        FROM pools o LEFT JOIN (SELECT *, date = ${dateAt(moment)} AS now FROM scored) s ON s.pool = o.id
          AND date <= '${moment}'
        GROUP BY o.id, o."marketId" ORDER BY o."marketId", o.id`,
    }),
  ),
  {
    name: 'the totals of pools without a moment are of the newest date, side by side',
    query: `pools { nodes { address totals { date points: totalPoints pointsOfDate: points positionCount utilization
      sideA { pointsOfDate: points suppliedUsd protectedUsd tvlUsd borrowedUsd liquidityUsd utilization ${TOKENS} }
      sideB { pointsOfDate: points suppliedUsd protectedUsd tvlUsd borrowedUsd liquidityUsd utilization ${TOKENS} } } } }`,
    at: 'pools.nodes',
    sql: `SELECT o.id AS address, ${dateAt('2030-01-01')} AS "totals.date",
        coalesce((SELECT sum(points) FROM scored WHERE pool = o.id), 0) AS "totals.points",
        coalesce(sum(points), 0) AS "totals.pointsOfDate", count(s) AS "totals.positionCount",
        sum("borrowedUsd") / nullif(sum("suppliedUsd"), 0) AS "totals.utilization",
        ${['a', 'b'].map(
          (
            side,
          ) => `coalesce(sum("points${side.toUpperCase()}"), 0) AS "totals.side${side.toUpperCase()}.pointsOfDate",
        ${sideSums(side)}`,
        )}
      FROM pools o LEFT JOIN scored s ON s.pool = o.id AND date = ${dateAt('2030-01-01')}
      GROUP BY o.id, o."marketId" ORDER BY o."marketId", o.id`,
  },
  {
    name: 'the change of pools over a month, those without a position included',
    query: `pools { nodes { address
      change(days: 29) { since points positionCount suppliedUsd protectedUsd tvlUsd borrowedUsd } } }`,
    at: 'pools.nodes',
    sql: `SELECT o.id AS address, date '2025-03-03' AS "change.since",
        coalesce(sum(points) FILTER (WHERE date > '2025-03-03'), 0) AS "change.points",
        coalesce(sum(sign), 0) AS "change.positionCount", coalesce(sum("suppliedUsd" * sign), 0) AS "change.suppliedUsd",
        coalesce(sum("protectedUsd" * sign), 0) AS "change.protectedUsd",
        coalesce(sum(("suppliedUsd" + "protectedUsd") * sign), 0) AS "change.tvlUsd",
        coalesce(sum("borrowedUsd" * sign), 0) AS "change.borrowedUsd"
      FROM pools o LEFT JOIN (SELECT *, CASE date WHEN '2025-04-01' THEN 1 WHEN '2025-03-03' THEN -1 ELSE 0 END AS sign
        FROM scored) s ON s.pool = o.id
      GROUP BY o.id, o."marketId" ORDER BY o."marketId", o.id`,
  },
  {
    name: "a pool's current positions are of the newest date, though it has more of others",
    query: 'pools { nodes { currentPositions { totalCount nodes { legacy { recordId } } } } }',
    at: 'pools.nodes.currentPositions.nodes',
    sql: `SELECT s.id AS "legacy.recordId" FROM scored s JOIN pools o ON o.id = pool WHERE date = ${dateAt('2030-01-01')}
      ORDER BY "marketId", o.id, s.id`,
  },
  {
    name: 'an asset on one chain, its price and its pools',
    query: `asset(chainId: 1, address: "${tokens.usdc}") { chainId address symbol name decimals
      price { usd date pool { name } } pools { totalCount nodes { name } } }`,
    at: 'asset.pools.nodes',
    sql: `SELECT name FROM pools WHERE "chainId" = 1 AND '${tokens.usdc}' IN (asset_1_address, asset_2_address)
      ORDER BY "marketId", id`,
    total: `SELECT count(*) FROM pools WHERE "chainId" = 1 AND '${tokens.usdc}' IN (asset_1_address, asset_2_address)`,
  },
  {
    name: 'the prices of assets are the newest daily ones, and of the others those of their newest positions on their chain',
    query:
      'assets { nodes { chainId address price { usd date source time pool { address name } } } }',
    at: 'assets.nodes',
    sql: `SELECT DISTINCT ON (chain, asset) chain AS "chainId", asset AS address, price AS "price.usd",
        date AS "price.date", source AS "price.source", time AS "price.time", pool AS "price.pool.address",
        o.name AS "price.pool.name"
      FROM (SELECT id, chain, pool, date, "aTokenAddress" AS asset, "aTokenPrice" AS price, 'positions' AS source,
          date::timestamptz AS time, false AS daily FROM scored
        UNION ALL SELECT id, chain, pool, date, "bTokenAddress", "bTokenPrice", 'positions', date::timestamptz, false FROM scored
        UNION ALL SELECT NULL, "chainId", NULL, date, "assetAddress", "priceUsd", source, time, true FROM prices
        UNION ALL SELECT NULL, "chainId", NULL, NULL, asset_1_address, NULL, NULL, NULL, false FROM pools
        UNION ALL SELECT NULL, "chainId", NULL, NULL, asset_2_address, NULL, NULL, NULL, false FROM pools
        UNION ALL SELECT NULL, "chainId", NULL, NULL, "assetAddress", NULL, NULL, NULL, false FROM markets
        UNION ALL SELECT NULL, "chainId", NULL, NULL, "assetAddress", NULL, NULL, NULL, false FROM vaults) s
      LEFT JOIN pools o ON o.id = pool
      ORDER BY chain, asset, daily DESC, date DESC NULLS LAST, s.id`,
  },
  {
    name: 'the prices of an asset by date, and none on the other days',
    query: `asset(chainId: 1, address: "${tokens.eth}") { prices(from: "2025-03-02", to: "2025-03-10") { start usd date source time } }`,
    at: 'asset.prices',
    sql: `SELECT day::date AS start, "priceUsd" AS usd, date, source, time
      FROM generate_series(timestamp '2025-03-02', '2025-03-10', '1 day') day
      LEFT JOIN prices ON date = day AND "chainId" = 1 AND "assetAddress" = '${tokens.eth}' ORDER BY day`,
  },
  {
    name: 'the price of a month is that of its newest day with one',
    query: `asset(chainId: 1, address: "${tokens.eth}") { prices(interval: MONTH, from: "2025-02-02", to: "2025-03-10") { start usd date } }`,
    at: 'asset.prices',
    sql: `SELECT * FROM (VALUES ('2025-02-01', NULL, NULL), ('2025-03-01', 1850.25::float8, '2025-03-09')) v(start, usd, date)`,
  },
  {
    name: 'the assets of a pool have their decimals and prices',
    query: `pool(address: "${pools.arb}") { assetA { decimals price { usd date } } assetB { decimals } }`,
    at: 'pool',
    sql: `SELECT 18 AS "assetA.decimals", 0.5::float8 AS "assetA.price.usd",
        (SELECT max(date) FROM scored WHERE pool = '${pools.arb}') AS "assetA.price.date", 6 AS "assetB.decimals"`,
  },
  {
    name: 'an address that no pool, market or vault of the chain has is no asset',
    query: `asset(chainId: 1, address: "${tokens.arb}") { symbol }`,
    at: 'asset',
    sql: 'SELECT WHERE false',
    empty: true,
  },
]
