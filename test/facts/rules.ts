import { dates, markets, pools, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

/**
 * The program after three changes of its rules and a resync of every date, oldest first: deposits
 * of the first token of `eth` count 5 times from 2025-03-02 on, those of `arb` 9 times from
 * 2030-01-01 on, and a dollar borrowed earns 0.75 points from 2025-03-31 on.
 */
export const changes = {
  eth: { depositA: 5, from: '2025-03-02' },
  arb: { depositA: 9, from: '2030-01-01' },
}
export const base = { deposit: 1, borrow: 0.75, from: '2025-03-31' }

/** The multipliers of a pool on a date. */
const rules = (date: string) => `(SELECT "poolAddress", CASE
      WHEN "poolAddress" = '${pools.eth}' AND ${date} >= '${changes.eth.from}' THEN 5
      WHEN "poolAddress" = '${pools.arb}' AND ${date} >= '${changes.arb.from}' THEN 9 ELSE "deposit_tokenA" END AS "depositA",
    "deposit_tokenB" AS "depositB", "borrow_tokenA" AS "borrowA", "borrow_tokenB" AS "borrowB"
  FROM (SELECT DISTINCT ON ("poolAddress") * FROM multipliers ORDER BY "poolAddress", import DESC) newest)`

/**
 * Positions with the points of their first run, and of the resync, which computes those that came
 * with the import too.
 */
const resynced = `(SELECT s."user", s.pool, s.date, s.points AS before,
    round(coalesce("depositA"::numeric * ("aSuppliedAmountUsd"::numeric
        + CASE WHEN "bBorrowedAmountUsd" > 0 THEN "aProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
      + CASE WHEN date >= '${base.from}' THEN 0.75 ELSE 0.5 END * "borrowA"::numeric * "aBorrowedAmountUsd"::numeric, 0), 6)
    + round(coalesce("depositB"::numeric * ("bSuppliedAmountUsd"::numeric
        + CASE WHEN "aBorrowedAmountUsd" > 0 THEN "bProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
      + CASE WHEN date >= '${base.from}' THEN 0.75 ELSE 0.5 END * "borrowB"::numeric * "bBorrowedAmountUsd"::numeric, 0), 6) AS after
  FROM scored s LEFT JOIN LATERAL ${rules('s.date')} m ON m."poolAddress" = s.pool) r`

/** Points of a side on 2025-04-02, the date after the newest one, by the rules `m` of that date. */
const daily = (
  side: 'a' | 'b',
  other: 'a' | 'b',
) => `round(coalesce("deposit${side.toUpperCase()}"::numeric
    * ("${side}SuppliedAmountUsd"::numeric + CASE WHEN "${other}BorrowedAmountUsd" > 0 THEN "${side}ProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
  + 0.75 * "borrow${side.toUpperCase()}"::numeric * "${side}BorrowedAmountUsd"::numeric, 0), 6)`
const perDay = `(SELECT s."user", s.pool, s.id, ${daily('a', 'b')} + ${daily('b', 'a')} AS points
  FROM scored s LEFT JOIN ${rules(`date '2025-04-02'`)} m ON m."poolAddress" = s.pool WHERE date = '2025-04-01') d`

const PER_DOLLAR = '"depositPointsPerDollar", "borrowPointsPerDollar"'
const estimate = (
  kind: 'market' | 'vault',
  key: [number, string],
  args: string,
  sql: string,
  rules: [from: string, days: number, pointsPerDollar: number][],
): Fact[] => {
  const facts = {
    scalars: 'from to apr interestUsd points totalUsd totalApr',
    rules: 'rules { from days pointsPerDollar }',
  }
  const of = (selection: string) =>
    `${kind}(chainId: ${key[0]}, address: "${key[1]}") { estimate(${args}) { ${selection} } }`
  const name = `an estimate of ${args} in the ${kind} ${key[1]} on ${key[0]}`
  const rows = rules.map(([from, days, rate]) => `(date '${from}', ${days}, ${rate}::float8)`)
  return [
    { name, query: of(facts.scalars), at: `${kind}.estimate`, sql },
    {
      name: `${name}: its rules`,
      query: of(facts.rules),
      at: `${kind}.estimate.rules`,
      sql: rows.length
        ? `SELECT * FROM (VALUES ${rows.join()}) v("from", days, "pointsPerDollar")`
        : 'SELECT 1 WHERE false',
      ...(rows.length === 0 && { empty: true }),
    },
  ]
}

/** They have no position, or those that earn nothing. */
const WITHOUT_CHANGE = ['dan', 'eve', 'gus', 'hal']

export const ruleFacts: Fact[] = [
  ...['2025-03-01', '2025-03-02', '2029-12-31', '2030-01-01'].map((date) => ({
    name: `the multipliers of ${date}`,
    query: `multipliers(asOf: "${date}") { totalCount nodes { poolAddress depositA depositB borrowA borrowB } }`,
    at: 'multipliers.nodes',
    sql: `SELECT m.* FROM ${rules(`date '${date}'`)} m JOIN pools p ON p.id = "poolAddress" ORDER BY p."marketId", p.id`,
    total: 'SELECT count(DISTINCT "poolAddress") FROM multipliers',
  })),
  ...['2025-03-30', '2025-03-31'].map((date) => ({
    name: `the base points of ${date}`,
    query: `basePoints(asOf: "${date}") { deposit borrow }`,
    at: 'basePoints',
    sql: `SELECT 1::float8 AS deposit, ${date < base.from ? 0.5 : 0.75}::float8 AS borrow`,
  })),
  {
    name: 'positions of now earn by the rules of the date after the newest',
    query: 'currentPositions { nodes { user { address } poolAddress pointsPerDay } }',
    at: 'currentPositions.nodes',
    sql: `SELECT "user" AS "user.address", pool AS "poolAddress", points AS "pointsPerDay" FROM ${perDay} ORDER BY id`,
  },
  {
    name: 'users earn what their positions of now do',
    query: 'users { nodes { address pointsPerDay } }',
    at: 'users.nodes',
    sql: `SELECT u.address, coalesce(sum(points), 0) AS "pointsPerDay"
      FROM unnest(ARRAY['${Object.values(users).join("', '")}']) u(address) LEFT JOIN ${perDay} ON "user" = u.address GROUP BY 1 ORDER BY 1`,
  },
  ...(
    [
      ['', [5, 3], [0, 4.5], [1, 0]],
      ['(asOf: "2025-03-01")', [3, 2], [0, 3], [1, 0]],
      ['(asOf: "2030-01-01")', [5, 3], [0, 4.5], [9, 0]],
    ] as [string, number[], number[], number[]][]
  ).map(
    ([asOf, eth, arbUsdc, arb]): Fact => ({
      name: `markets have the points of a dollar${asOf}: the markets of another chain than their pool have none`,
      query: `markets { nodes { chainId address depositPointsPerDollar${asOf} borrowPointsPerDollar${asOf} } }`,
      at: 'markets.nodes',
      sql: `SELECT * FROM (VALUES (1, '${markets.dust}', NULL, NULL), (1, '${markets.usdc}', 1.5::float8, 0::float8),
        (1, '${markets.same}', ${eth.join()}), (42161, '${markets.arbUsdc}', ${arbUsdc.join()}), (42161, '${markets.same}', ${arb.join()})
      ) v("chainId", address, ${PER_DOLLAR})`,
    }),
  ),
  ...estimate(
    'market',
    [42161, markets.same],
    'amountUsd: 1000.5, days: 10, from: "2029-12-28", pointValueUsd: 0.001',
    `SELECT date '2029-12-28' AS "from", date '2030-01-06' AS "to", 0.03 AS apr, i AS "interestUsd", 58029 AS points,
      i + 58.029 AS "totalUsd", (i + 58.029) / 1000.5 * 36.5 AS "totalApr"
    FROM (SELECT 1000.5 * 0.03 * 10 / 365 AS i) i`,
    [
      ['2029-12-28', 4, 1],
      ['2030-01-01', 6, 9],
    ],
  ),
  ...estimate(
    'market',
    [42161, markets.arbUsdc],
    'amountUsd: 200, days: 3, borrowed: true, pointValueUsd: 0.01',
    `SELECT date '2025-04-02' AS "from", date '2025-04-04' AS "to", 0.08 AS apr, i AS "interestUsd", 2700 AS points,
      27 - i AS "totalUsd", (27 - i) / 200 * 365 / 3 AS "totalApr" FROM (SELECT 200 * 0.08 * 3 / 365 AS i) i`,
    [['2025-04-02', 3, 4.5]],
  ),
  ...estimate(
    'market',
    [1, markets.same],
    'amountUsd: 0.0000015, days: 3650, from: "2025-03-01"',
    `SELECT date '2025-03-01' AS "from", date '2035-02-26' AS "to", 0.02 AS apr, 0.0000003 AS "interestUsd",
      0.000004 + 3649 * 0.000008 AS points, 0.0000003 AS "totalUsd", 0.02 AS "totalApr"`,
    [
      ['2025-03-01', 1, 3],
      ['2025-03-02', 29, 5],
      ['2025-03-31', 3620, 5],
    ],
  ),
  ...estimate(
    'market',
    [1, markets.dust],
    'amountUsd: 0, days: 1, pointValueUsd: 1',
    `SELECT date '2025-04-02' AS "from", date '2025-04-02' AS "to", 1e-9 AS apr, 0 AS "interestUsd", NULL AS points,
      NULL AS "totalUsd", NULL AS "totalApr"`,
    [],
  ),
  ...estimate(
    'vault',
    [1, vaults.same],
    'amountUsd: 1000, days: 365',
    `SELECT date '2025-04-02' AS "from", date '2026-04-01' AS "to", 0.06 AS apr, 60 AS "interestUsd", NULL AS points,
      60 AS "totalUsd", 0.06 AS "totalApr"`,
    [],
  ),
  {
    name: 'each date has the points that its rules yield',
    query: 'distributions { nodes { date points } }',
    at: 'distributions.nodes',
    sql: `SELECT date, sum(after) AS points FROM ${resynced} GROUP BY date ORDER BY date DESC`,
  },
  {
    name: 'each date has the digest of its lines',
    query: 'distributions { nodes { date digest run { digest } } }',
    at: 'distributions.nodes',
    sql: `SELECT date, digest, digest AS "run.digest" FROM (SELECT date, encode(sha256(convert_to(
          string_agg("user" || ' ' || to_char(points, 'FM999999999999990.000000') || chr(10), '' ORDER BY "user"), 'UTF8')), 'hex') AS digest
        FROM (SELECT date, "user", sum(after) AS points FROM ${resynced} GROUP BY date, "user") u GROUP BY date) d ORDER BY date DESC`,
  },
  ...Object.entries(users).map(
    ([name, address]): Fact => ({
      name: `the ledger of ${name} has what each resync changed`,
      query: `user(address: "${address}") { ledger(first: 1000) { totalCount nodes { date pool { address } pointsBefore pointsAfter pointsChange } } }`,
      at: 'user.ledger.nodes',
      sql: `SELECT date, pool AS "pool.address", before AS "pointsBefore", after AS "pointsAfter", after - before AS "pointsChange"
        FROM ${resynced} WHERE "user" = '${address}' AND before <> after ORDER BY date DESC`,
      total: `SELECT count(*) FROM ${resynced} WHERE "user" = '${address}' AND before <> after`,
      unordered: true,
      ...(WITHOUT_CHANGE.includes(name) && { empty: true }),
    }),
  ),
  ...dates.map(
    (date): Fact => ({
      name: `the resync of ${date} changed these positions, the largest change first`,
      query: `distribution(date: "${date}") { run { changes(first: 1000) { totalCount nodes { user { address } pool { address } pointsChange } } } }`,
      at: 'distribution.run.changes.nodes',
      sql: `SELECT "user" AS "user.address", pool AS "pool.address", after - before AS "pointsChange"
        FROM ${resynced} WHERE date = '${date}' AND before <> after ORDER BY abs(after - before) DESC, "user"`,
      total: `SELECT count(*) FROM ${resynced} WHERE date = '${date}' AND before <> after`,
      unordered: true,
    }),
  ),
]
