import pg from 'pg'
import type { Files } from '../support/datasets.ts'

/**
 * The records of the imports as they are, in plain tables of a separate schema: what the facts' SQL
 * reads. It can see none of the gateway's tables. Columns have the names of the import format;
 * `import` counts the imports.
 */
const TABLES = `
  CREATE SCHEMA facts;
  SET search_path = facts;
  CREATE TABLE pools (id text, "chainId" bigint, "marketId" bigint, name text, asset_1_address text, asset_1_symbol text,
    asset_1_name text, asset_2_address text, asset_2_symbol text, asset_2_name text, "createdTimestamp" bigint,
    "interestLastUpdated" bigint, unit_1_id text, unit_2_id text);
  CREATE TABLE multipliers (import int, "poolAddress" text, "deposit_tokenA" float8, "deposit_tokenB" float8,
    "borrow_tokenA" float8, "borrow_tokenB" float8, "createdAt" timestamptz, "updatedAt" timestamptz);
  CREATE TABLE markets ("chainId" bigint, id text, "poolId" text, "assetAddress" text, "assetSymbol" text,
    "assetDecimals" int, "depositRate" float8, "borrowRate" float8, "liquidationThreshold" float8);
  CREATE TABLE vaults ("chainId" bigint, id text, name text, "assetAddress" text, "assetSymbol" text, "assetDecimals" int,
    "depositRate" float8);
  CREATE TABLE prices ("chainId" bigint, "assetAddress" text, date date, "priceUsd" float8, source text, time timestamptz);
  CREATE TABLE positions (import int, id text, "userAddress" text, "marketAddress" text, "distributionDate" date,
    "aTokenAddress" text, "aTokenSymbol" text, "aTokenPrice" float8, "aSuppliedAmount" float8,
    "aSuppliedAmountUsd" float8, "aProtectedSuppliedAmount" float8, "aProtectedSuppliedAmountUsd" float8,
    "aBorrowedAmount" float8, "aBorrowedAmountUsd" float8,
    "bTokenAddress" text, "bTokenSymbol" text, "bTokenPrice" float8, "bSuppliedAmount" float8,
    "bSuppliedAmountUsd" float8, "bProtectedSuppliedAmount" float8, "bProtectedSuppliedAmountUsd" float8,
    "bBorrowedAmount" float8, "bBorrowedAmountUsd" float8,
    "pointsA" numeric, "pointsB" numeric);
  CREATE TABLE market_snapshots ("chainId" bigint, "marketId" text, "accountId" text, "positionId" text, timestamp bigint,
    "collateralAssets" numeric, "collateralUsd" float8, "protectedAssets" numeric, "protectedUsd" float8,
    "debtAssets" numeric, "debtUsd" float8);
  CREATE TABLE vault_snapshots ("chainId" bigint, "vaultId" text, "accountId" text, "positionId" text, timestamp bigint,
    shares numeric, assets numeric, "assetsUsd" float8);
  CREATE TABLE market_liquidation_rewards ("chainId" bigint, "txHash" text, "logIndex" bigint, timestamp bigint,
    "accountId" text, "supplySent" numeric, "supplySentUsd" float8, "collateralReceived" numeric,
    "collateralReceivedUsd" float8, "liquidReward" numeric, "liquidRewardUsd" float8, "userRoi" text,
    "claimedTimestamp" bigint, "debtMarketId" text, "collateralMarketId" text);
  CREATE TABLE vault_liquidation_rewards (LIKE market_liquidation_rewards);
  ALTER TABLE vault_liquidation_rewards DROP "debtMarketId", DROP "collateralMarketId", ADD "vaultId" text;
  CREATE TABLE liquidations ("chainId" bigint, "txHash" text, "logIndex" bigint, timestamp bigint, borrower text,
    liquidator text, "poolId" text, "debtMarketId" text, "collateralMarketId" text, "debtRepaid" numeric,
    "debtRepaidUsd" float8, "collateralSeized" numeric, "collateralSeizedUsd" float8);
  CREATE TABLE cash_flows ("chainId" bigint, "entityType" text, "entityId" text, "accountId" text, "txHash" text,
    "logIndex" bigint, timestamp bigint, kind text, "amountUsd" float8, assets numeric)`

/** A snapshot without a USD value has the one of the day's price. */
const PRICED = ['collateral', 'protected', 'debt'].map(
  (name) => `UPDATE market_snapshots s
    SET "${name}Usd" = (s."${name}Assets" / 10::numeric ^ m."assetDecimals" * p."priceUsd"::text::numeric)::float8
    FROM markets m JOIN prices p ON p."chainId" = m."chainId" AND p."assetAddress" = m."assetAddress"
    WHERE s."${name}Usd" IS NULL AND m."chainId" = s."chainId" AND m.id = s."marketId"
      AND (to_timestamp(s.timestamp) AT TIME ZONE 'UTC')::date = p.date`,
)

/** What nearly every fact of the points program begins with. */
const VIEWS = `
  -- A position with its points: those that it came with, or the rules' with the multiplier of its import. Dollars count
  -- 1 supplied and 0.5 borrowed; protected ones only while the other token is borrowed.
  CREATE VIEW scored AS
    SELECT *, "pointsA" + "pointsB" AS points,
      "aSuppliedAmountUsd"::numeric + "bSuppliedAmountUsd"::numeric AS "suppliedUsd",
      "aProtectedSuppliedAmountUsd"::numeric + "bProtectedSuppliedAmountUsd"::numeric AS "protectedUsd",
      "aBorrowedAmountUsd"::numeric + "bBorrowedAmountUsd"::numeric AS "borrowedUsd"
    FROM (SELECT p.id, p."userAddress" AS "user", p."marketAddress" AS pool, p."distributionDate" AS date,
        o."chainId" AS chain,
        "aTokenAddress", "aTokenSymbol", "aTokenPrice", "aSuppliedAmount", "aSuppliedAmountUsd",
        "aProtectedSuppliedAmount", "aProtectedSuppliedAmountUsd", "aBorrowedAmount", "aBorrowedAmountUsd",
        "bTokenAddress", "bTokenSymbol", "bTokenPrice", "bSuppliedAmount", "bSuppliedAmountUsd",
        "bProtectedSuppliedAmount", "bProtectedSuppliedAmountUsd", "bBorrowedAmount", "bBorrowedAmountUsd",
        coalesce("pointsA", "deposit_tokenA"::numeric * ("aSuppliedAmountUsd"::numeric
          + CASE WHEN "bBorrowedAmountUsd" > 0 THEN "aProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
          + 0.5 * "borrow_tokenA"::numeric * "aBorrowedAmountUsd"::numeric, 0) AS "pointsA",
        coalesce("pointsB", "deposit_tokenB"::numeric * ("bSuppliedAmountUsd"::numeric
          + CASE WHEN "aBorrowedAmountUsd" > 0 THEN "bProtectedSuppliedAmountUsd"::numeric ELSE 0 END)
          + 0.5 * "borrow_tokenB"::numeric * "bBorrowedAmountUsd"::numeric, 0) AS "pointsB"
      FROM positions p JOIN pools o ON o.id = p."marketAddress"
      LEFT JOIN LATERAL (SELECT * FROM multipliers WHERE "poolAddress" = p."marketAddress" AND import <= p.import
        ORDER BY import DESC LIMIT 1) m ON true) p;
  -- A position's two sides, each with its token.
  CREATE VIEW sides AS
    SELECT "user", pool, 'a' AS side, date, chain, "aTokenAddress" AS asset, "pointsA" AS points, "aSuppliedAmount" AS supplied,
      "aProtectedSuppliedAmount" AS protected, "aBorrowedAmount" AS borrowed, "aSuppliedAmountUsd" AS "suppliedUsd",
      "aProtectedSuppliedAmountUsd" AS "protectedUsd", "aBorrowedAmountUsd" AS "borrowedUsd" FROM scored
    UNION ALL
    SELECT "user", pool, 'b', date, chain, "bTokenAddress", "pointsB", "bSuppliedAmount", "bProtectedSuppliedAmount",
      "bBorrowedAmount", "bSuppliedAmountUsd", "bProtectedSuppliedAmountUsd", "bBorrowedAmountUsd" FROM scored;
  -- Accounts by rank: an account is an address with a position.
  CREATE VIEW ranks AS
    SELECT *, row_number() OVER (ORDER BY points DESC, account) AS rank
    FROM (SELECT "user" AS account, sum(points) AS points, count(*) AS positions, min(date) AS first, max(date) AS last
      FROM scored GROUP BY "user") a;
  -- The rows of each user's newest moment in each market and vault.
  CREATE VIEW now_in_markets AS SELECT s.* FROM market_snapshots s WHERE timestamp = (SELECT max(timestamp)
    FROM market_snapshots o WHERE (o."accountId", o."chainId", o."marketId") = (s."accountId", s."chainId", s."marketId"));
  CREATE VIEW now_in_vaults AS SELECT s.* FROM vault_snapshots s WHERE timestamp = (SELECT max(timestamp)
    FROM vault_snapshots o WHERE (o."accountId", o."chainId", o."vaultId") = (s."accountId", s."chainId", s."vaultId"))`

/** A numeric of the oracle: what exact arithmetic gives. */
class Exact {
  readonly value: number
  constructor(text: string) {
    this.value = Number(text)
  }
}

/** How values come out of Postgres, by the type's oid: as they are in the graph's JSON. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: (text) => new Exact(text),
  [pg.types.builtins.DATE]: (text) => text,
  [pg.types.builtins.TIMESTAMPTZ]: (text) => new Date(text).toISOString(),
}

/**
 * True if a value of an answer is the oracle's. All are equal, bit for bit, except sums of doubles
 * (numerics here), which the gateway adds up as doubles. Make it `actual === expected.value` once
 * it adds exactly.
 */
export function same(actual: unknown, expected: unknown): boolean {
  if (!(expected instanceof Exact)) return actual === expected
  return (
    typeof actual === 'number' &&
    Math.abs(actual - expected.value) <= 1e-9 + 1e-12 * Math.abs(expected.value)
  )
}

export type Row = Record<string, unknown>

export interface Oracle {
  rows(sql: string): Promise<Row[]>
  close(): Promise<void>
}

/** Puts the records of all imports into plain tables of the database at `url`. */
export async function openOracle(url: string, imports: Files[]): Promise<Oracle> {
  const pool = new pg.Pool({
    max: 2,
    connectionString: url,
    options: '-c timezone=UTC -c search_path=facts',
    types: {
      getTypeParser: (oid: number, format: 'text') =>
        parsers[oid] ?? pg.types.getTypeParser(oid, format),
    } as never,
  })
  // Text is ordered by its bytes, whatever the server's locale.
  await pool.query(TABLES.replaceAll(/\btext\b/g, 'text COLLATE "C"'))
  for (const [n, files] of imports.entries())
    for (const [file, records] of Object.entries(files)) {
      const table = file.replaceAll('-', '_')
      const lines = records.map((record) => ({ import: n + 1, ...(record as object) }))
      await pool.query(
        `INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(lines)],
      )
    }
  await pool.query(`UPDATE market_snapshots SET "positionId" = 'main' WHERE "positionId" IS NULL`)
  for (const priced of PRICED) await pool.query(priced)
  await pool.query(VIEWS)
  return {
    async rows(sql) {
      return (await pool.query<Row>(sql)).rows
    },
    close: () => pool.end(),
  }
}
