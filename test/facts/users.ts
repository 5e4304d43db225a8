import { dates, nobody, pools, users } from './data.ts'
import type { Fact } from './fact.ts'

const { ann, ben, cat, eve, gus, hal } = users
/** Users with and without positions on the dates of a change. */
const changed = [ann, ben, cat, users.dan, eve, users.fay, gus]
const list = (texts: string[]) => texts.map((text) => `"${text}"`).join(', ')
/** A user, a list of theirs with its arguments, what is selected of its nodes. */
const of = (user: string, selection: string) => `user(address: "${user}") { ${selection} }`

const ACCOUNT = `account AS address, points, rank, positions AS "positionCount", first AS "firstDistributionDate",
  last AS "lastDistributionDate"`
const TOTALS =
  'address points: totalPoints rank positionCount: recordCount firstDistributionDate: firstDate lastDistributionDate: lastDate'

const SIDE = `asset { address symbol chainId } priceUsd ${['supplied', 'protected', 'borrowed']
  .map((name) => `${name} { raw decimals value usd }`)
  .join(' ')}`
/** An amount of a side: whole tokens as a decimal string. Its decimals are its market's. */
const amountOf = (side: 'a' | 'b', name: string) => {
  const at = `side${side.toUpperCase()}.${name.replace('dSupplied', 'd').toLowerCase()}`
  return `NULL AS "${at}.raw", (SELECT m."assetDecimals" FROM pools p JOIN markets m ON m."chainId" = p."chainId" AND m.id = p.unit_${side === 'a' ? 1 : 2}_id
    WHERE p.id = scored.pool AND m."assetAddress" = "${side}TokenAddress") AS "${at}.decimals", trim_scale("${side}${name}Amount"::text::numeric)::text AS "${at}.value",
    "${side}${name}AmountUsd" AS "${at}.usd"`
}

export const userFacts: Fact[] = [
  {
    name: 'a user has the totals of all positions',
    query: of(ann, TOTALS),
    at: 'user',
    sql: `SELECT ${ACCOUNT} FROM ranks WHERE account = '${ann}'`,
  },
  {
    name: 'users with the same points rank by address; those without a position have zeros and nulls',
    query: `lookupUsers(addresses: [${list([hal, cat, nobody, ben, eve, ann.toUpperCase(), cat])}]) { ${TOTALS} }`,
    at: 'lookupUsers',
    sql: `SELECT u.address, coalesce(points, 0) AS points, rank, coalesce(positions, 0) AS "positionCount",
        first AS "firstDistributionDate", last AS "lastDistributionDate"
      FROM unnest(ARRAY['${hal}', '${cat}', '${nobody}', '${ben}', '${eve}', '${ann}', '${cat}']) WITH ORDINALITY u(address, n)
      LEFT JOIN ranks ON account = u.address ORDER BY n`,
  },
  {
    name: 'all users are all addresses of either domain, once each',
    query: 'users { nodes { address } }',
    at: 'users.nodes',
    sql: `SELECT "userAddress" AS address FROM positions UNION SELECT "accountId" FROM market_snapshots
      UNION SELECT "accountId" FROM vault_snapshots UNION SELECT "accountId" FROM market_liquidation_rewards
      UNION SELECT "accountId" FROM vault_liquidation_rewards UNION SELECT "accountId" FROM cash_flows ORDER BY address`,
  },
  {
    name: 'looked-up users have their points',
    query: `lookupUsers(addresses: ["${cat}", "${nobody}"]) { address points: totalPoints rank }`,
    at: 'lookupUsers',
    sql: `SELECT u.address, coalesce(points, 0) AS points, rank FROM (VALUES (1, '${cat}'), (2, '${nobody}')) u(n, address)
      LEFT JOIN ranks ON account = u.address ORDER BY n`,
  },

  {
    name: "a user's positions have all their columns, newest date first, then by id",
    query: of(
      ann,
      `positions(first: 1000) { nodes { legacy { recordId } userAddress poolAddress distributionDate: date points pointsA pointsB
        sideA { ${SIDE} } sideB { ${SIDE} } } }`,
    ),
    at: 'user.positions.nodes',
    sql: `SELECT id AS "legacy.recordId", "user" AS "userAddress", pool AS "poolAddress", date AS "distributionDate",
        points, "pointsA", "pointsB",
        "aTokenAddress" AS "sideA.asset.address", "aTokenSymbol" AS "sideA.asset.symbol", chain AS "sideA.asset.chainId", "aTokenPrice" AS "sideA.priceUsd",
        ${['Supplied', 'ProtectedSupplied', 'Borrowed'].map((name) => amountOf('a', name)).join(', ')},
        "bTokenAddress" AS "sideB.asset.address", "bTokenSymbol" AS "sideB.asset.symbol", chain AS "sideB.asset.chainId", "bTokenPrice" AS "sideB.priceUsd",
        ${['Supplied', 'ProtectedSupplied', 'Borrowed'].map((name) => amountOf('b', name)).join(', ')}
      FROM scored WHERE "user" = '${ann}' ORDER BY date DESC, id`,
  },
  {
    name: "a position leads to its pool, the pool's markets and multiplier, and its user",
    query: of(
      users.dan,
      `positions { nodes { legacy { recordId } user { address rank }
        pool { displayName marketA { name asset { symbol } } marketB { depositRate: depositApr } multiplier { depositA } } } }`,
    ),
    at: 'user.positions.nodes',
    sql: `SELECT s.id AS "legacy.recordId", s."user" AS "user.address", r.rank AS "user.rank",
        concat_ws('·', asset_1_symbol, asset_2_symbol, "marketId") AS "pool.displayName",
        a."assetSymbol" AS "pool.marketA.asset.symbol",
        a."assetSymbol" || ' in ' || (SELECT concat_ws('·', asset_1_symbol, asset_2_symbol, "marketId") FROM pools WHERE id = a."poolId") AS "pool.marketA.name", b."depositRate" AS "pool.marketB.depositRate",
        NULL AS "pool.multiplier.depositA" -- one pool never had one, the other's was removed
      FROM scored s JOIN ranks r ON account = "user" JOIN pools o ON o.id = pool
      LEFT JOIN markets a ON a.id = unit_1_id AND a."chainId" = o."chainId"
      LEFT JOIN markets b ON b.id = unit_2_id AND b."chainId" = o."chainId"
      WHERE "user" = '${users.dan}' ORDER BY date DESC, s.id`,
  },
  {
    name: "a user's positions of a date and a pool",
    query: of(
      ann,
      `positions(where: { date: { eq: "2025-03-05" }, pools: "${'0x1e'.padEnd(40, '0')}01" }) { totalCount nodes { legacy { recordId } } }`,
    ),
    at: 'user.positions.nodes',
    sql: `SELECT id AS "legacy.recordId" FROM scored WHERE "user" = '${ann}' AND date = '2025-03-05' AND pool LIKE '0x1e%'`,
  },
  {
    name: "a user's current positions are those of the newest date",
    query: of(
      ann,
      'currentPositions { totalCount nodes { legacy { recordId } distributionDate: date } }',
    ),
    at: 'user.currentPositions.nodes',
    sql: `SELECT id AS "legacy.recordId", date AS "distributionDate" FROM scored WHERE "user" = '${ann}'
      AND date = (SELECT max(date) FROM scored) ORDER BY id`,
    total: `SELECT count(*) FROM scored WHERE "user" = '${ann}' AND date = (SELECT max(date) FROM scored)`,
  },
  {
    name: "a user's positions of now earn by the newest multipliers, whatever points came with them",
    query: of(ann, 'currentPositions { nodes { poolAddress pointsPerDay } }'),
    at: 'user.currentPositions.nodes',
    sql: `SELECT pool AS "poolAddress",
        coalesce("deposit_tokenA"::numeric * ("aSuppliedAmountUsd"::numeric + CASE WHEN "bBorrowedAmountUsd" > 0 THEN "aProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
          + 0.5 * "borrow_tokenA"::numeric * "aBorrowedAmountUsd"::numeric, 0)
        + coalesce("deposit_tokenB"::numeric * ("bSuppliedAmountUsd"::numeric + CASE WHEN "aBorrowedAmountUsd" > 0 THEN "bProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
          + 0.5 * "borrow_tokenB"::numeric * "bBorrowedAmountUsd"::numeric, 0) AS "pointsPerDay"
      FROM scored LEFT JOIN (SELECT DISTINCT ON ("poolAddress") * FROM multipliers WHERE "poolAddress" <> '${pools.wild}'
        ORDER BY "poolAddress", import DESC) m ON "poolAddress" = pool
      WHERE "user" = '${ann}' AND date = (SELECT max(date) FROM scored) ORDER BY id`,
  },
  {
    name: "a user's days add up the positions of each date",
    query: of(
      ann,
      'dailyPoints { nodes { distributionDate: date points positionCount user { address } } }',
    ),
    at: 'user.dailyPoints.nodes',
    sql: `SELECT date AS "distributionDate", sum(points) AS points, count(*) AS "positionCount", '${ann}' AS "user.address"
      FROM scored WHERE "user" = '${ann}' GROUP BY date ORDER BY date`,
  },
  {
    name: 'days after a date, up to one that is included',
    query: of(
      cat,
      'dailyPoints(where: { date: { gt: "2025-03-01", lte: "2025-03-31" } }) { nodes { distributionDate: date points } }',
    ),
    at: 'user.dailyPoints.nodes',
    sql: `SELECT date AS "distributionDate", sum(points) AS points FROM scored
      WHERE "user" = '${cat}' AND date > '2025-03-01' AND date <= '2025-03-31' GROUP BY date ORDER BY date`,
  },
  {
    name: 'days by points, those of one count of positions',
    query: of(
      ann,
      'dailyPoints(where: { positionCount: { gte: 2 } }, orderBy: POINTS, orderDirection: DESC) { nodes { distributionDate: date } }',
    ),
    at: 'user.dailyPoints.nodes',
    sql: `SELECT date AS "distributionDate" FROM scored WHERE "user" = '${ann}' GROUP BY date HAVING count(*) >= 2
      ORDER BY sum(points) DESC, date`,
  },
  {
    name: "the positions of a user's day are by pool",
    query: of(
      ann,
      'dailyPoints(orderBy: DATE, orderDirection: DESC) { nodes { positions { legacy { recordId } points } } }',
    ),
    at: 'user.dailyPoints.nodes.positions',
    sql: `SELECT id AS "legacy.recordId", points FROM scored WHERE "user" = '${ann}' ORDER BY date DESC, pool`,
  },

  ...dates
    .filter((date) => date > dates[0]!)
    .map((date) => ({
      name: `ranks as of ${date} count the dates up to it`,
      query: `lookupUsers(addresses: [${list(Object.values(users))}]) { address points: totalPoints(asOf: "${date}") rank(asOf: "${date}") }`,
      at: 'lookupUsers',
      sql: `SELECT u.address, coalesce(r.points, 0) AS points, r.rank
        FROM unnest(ARRAY['${Object.values(users).join("', '")}']) WITH ORDINALITY u(address, n)
        LEFT JOIN (SELECT "user", sum(points) AS points, row_number() OVER (ORDER BY sum(points) DESC, "user") AS rank
          FROM scored WHERE date <= '${date}' GROUP BY "user") r ON r."user" = u.address ORDER BY n`,
    })),
  {
    name: 'before the first distribution a user has neither points nor a rank',
    query: of(ann, 'points: totalPoints(asOf: "2025-02-27") rank(asOf: "2025-02-27")'),
    at: 'user',
    sql: 'SELECT 0 AS points, NULL AS rank',
  },
  {
    name: 'a series has the total points and the rank of each week with a distribution, from the first position on',
    query: of(
      eve,
      'series(interval: WEEK, from: "2025-02-20", to: "2025-04-05") { lastDate totalPoints rank }',
    ),
    at: 'user.series',
    sql: `SELECT d.date AS "lastDate", r.points AS "totalPoints", r.rank
      FROM generate_series(date '2025-02-17', '2025-04-05', interval '7 days') week
      LEFT JOIN (SELECT max(date) AS date FROM scored GROUP BY date_trunc('week', date)) d
        ON date_trunc('week', d.date) = week
      LEFT JOIN LATERAL (SELECT * FROM (SELECT "user", sum(points) AS points,
          row_number() OVER (ORDER BY sum(points) DESC, "user") AS rank
          FROM scored WHERE date <= d.date GROUP BY "user") r WHERE r."user" = '${eve}') r ON true
      ORDER BY week`,
  },
  {
    name: 'a change is from the newest date back, over dates without a distribution',
    query: `lookupUsers(addresses: [${list(changed)}]) { address
      change(days: 28) { since rank points } }`,
    at: 'lookupUsers',
    // 28 days before 2025-04-01 is the gap of 2025-03-04: as of 2025-03-03.
    sql: `SELECT u.address, date '2025-03-03' AS "change.since", past.rank - now.rank AS "change.rank",
        coalesce((SELECT sum(points) FROM scored WHERE "user" = u.address AND date > '2025-03-03'), 0) AS "change.points"
      FROM unnest(ARRAY['${changed.join("', '")}']) WITH ORDINALITY u(address, n)
      LEFT JOIN ranks now ON now.account = u.address
      LEFT JOIN (SELECT "user", row_number() OVER (ORDER BY sum(points) DESC, "user") AS rank FROM scored
        WHERE date <= '2025-03-03' GROUP BY "user") past ON past."user" = u.address
      ORDER BY n`,
  },
]
