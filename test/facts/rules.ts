import { dates, pools, users } from './data.ts'
import type { Fact } from './fact.ts'

/**
 * The program after three changes of its rules and a resync of every date, oldest first: deposits of the first token of `eth`
 * count 5 times from 2025-03-02 on, those of `arb` 9 times from 2030-01-01 on, and a dollar borrowed earns 0.75 points from
 * 2025-03-31 on.
 */
export const changes = { eth: { depositA: 5, from: '2025-03-02' }, arb: { depositA: 9, from: '2030-01-01' } }
export const base = { deposit: 1, borrow: 0.75, from: '2025-03-31' }

/** The multipliers of a pool on a date. */
const rules = (date: string) => `(SELECT "poolAddress", CASE
      WHEN "poolAddress" = '${pools.eth}' AND ${date} >= '${changes.eth.from}' THEN 5
      WHEN "poolAddress" = '${pools.arb}' AND ${date} >= '${changes.arb.from}' THEN 9 ELSE "deposit_tokenA" END AS "depositA",
    "deposit_tokenB" AS "depositB", "borrow_tokenA" AS "borrowA", "borrow_tokenB" AS "borrowB"
  FROM (SELECT DISTINCT ON ("poolAddress") * FROM multipliers ORDER BY "poolAddress", import DESC) newest)`

/** Positions with the points of their first run, and of the resync, which computes those that came with the import too. */
const resynced = `(SELECT s."user", s.pool, s.date, s.points AS before,
    round(coalesce("depositA"::numeric * ("aSuppliedAmountUsd"::numeric
        + CASE WHEN "bBorrowedAmountUsd" > 0 THEN "aProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
      + CASE WHEN date >= '${base.from}' THEN 0.75 ELSE 0.5 END * "borrowA"::numeric * "aBorrowedAmountUsd"::numeric, 0), 6)
    + round(coalesce("depositB"::numeric * ("bSuppliedAmountUsd"::numeric
        + CASE WHEN "aBorrowedAmountUsd" > 0 THEN "bProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
      + CASE WHEN date >= '${base.from}' THEN 0.75 ELSE 0.5 END * "borrowB"::numeric * "bBorrowedAmountUsd"::numeric, 0), 6) AS after
  FROM scored s LEFT JOIN LATERAL ${rules('s.date')} m ON m."poolAddress" = s.pool) r`

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
      query: `distribution(date: "${date}") { run { changes(first: 1000) { totalCount nodes { userAddress pool { address } pointsChange } } } }`,
      at: 'distribution.run.changes.nodes',
      sql: `SELECT "user" AS "userAddress", pool AS "pool.address", after - before AS "pointsChange"
        FROM ${resynced} WHERE date = '${date}' AND before <> after ORDER BY abs(after - before) DESC, "user"`,
      total: `SELECT count(*) FROM ${resynced} WHERE date = '${date}' AND before <> after`,
      unordered: true,
    }),
  ),
]
