-- CreateTable
CREATE TABLE "pool_day" (
    "pool_address" TEXT COLLATE "C" NOT NULL,
    "distribution_date" DATE NOT NULL,
    "position_count" INTEGER NOT NULL,
    "a_token_address" TEXT COLLATE "C" NOT NULL,
    "a_points" DOUBLE PRECISION NOT NULL,
    "a_supplied_usd" DOUBLE PRECISION NOT NULL,
    "a_protected_usd" DOUBLE PRECISION NOT NULL,
    "a_borrowed_usd" DOUBLE PRECISION NOT NULL,
    "b_token_address" TEXT COLLATE "C" NOT NULL,
    "b_points" DOUBLE PRECISION NOT NULL,
    "b_supplied_usd" DOUBLE PRECISION NOT NULL,
    "b_protected_usd" DOUBLE PRECISION NOT NULL,
    "b_borrowed_usd" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "pool_day_pkey" PRIMARY KEY ("pool_address","distribution_date")
);

-- CreateIndex
CREATE INDEX "pool_day_distribution_date_idx" ON "pool_day"("distribution_date");

ALTER TABLE "pool_day" SET (fillfactor = 70);

-- The sums of what is stored already, as pool-days.ts adds them up.
INSERT INTO "pool_day" ("pool_address", "distribution_date", "position_count",
  "a_token_address", "a_points", "a_supplied_usd", "a_protected_usd", "a_borrowed_usd",
  "b_token_address", "b_points", "b_supplied_usd", "b_protected_usd", "b_borrowed_usd")
SELECT p."market_address", p."distribution_date", p."position_count",
  p."a_token", coalesce(pp."a_points", 0), p."a_supplied", p."a_protected", p."a_borrowed",
  p."b_token", coalesce(pp."b_points", 0), p."b_supplied", p."b_protected", p."b_borrowed"
FROM (SELECT "market_address", "distribution_date", count(*) AS "position_count",
    min("a_token_address") AS "a_token", sum(round(least("a_supplied_amount_usd", 1e300) * 1e6)) / 1e6 AS "a_supplied",
    sum(round(least("a_protected_supplied_amount_usd", 1e300) * 1e6)) / 1e6 AS "a_protected",
    sum(round(least("a_borrowed_amount_usd", 1e300) * 1e6)) / 1e6 AS "a_borrowed",
    min("b_token_address") AS "b_token", sum(round(least("b_supplied_amount_usd", 1e300) * 1e6)) / 1e6 AS "b_supplied",
    sum(round(least("b_protected_supplied_amount_usd", 1e300) * 1e6)) / 1e6 AS "b_protected",
    sum(round(least("b_borrowed_amount_usd", 1e300) * 1e6)) / 1e6 AS "b_borrowed"
  FROM "position" GROUP BY 1, 2) p
LEFT JOIN (SELECT "market_address", "distribution_date",
    sum(round(least("points_a", 1e300) * 1e6)) / 1e6 AS "a_points", sum(round(least("points_b", 1e300) * 1e6)) / 1e6 AS "b_points"
  FROM "position_points" GROUP BY 1, 2) pp USING ("market_address", "distribution_date")
ORDER BY 1, 2;

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "pool_day"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
