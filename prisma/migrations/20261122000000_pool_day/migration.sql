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

-- The sums of what is stored already, as settle.ts adds them up.
INSERT INTO "pool_day"
SELECT p."market_address", p."distribution_date", count(*),
  min(p."a_token_address"), sum(coalesce(pp."points_a", 0) ORDER BY p."user_address"),
  sum(p."a_supplied_amount_usd" ORDER BY p."user_address"),
  sum(p."a_protected_supplied_amount_usd" ORDER BY p."user_address"),
  sum(p."a_borrowed_amount_usd" ORDER BY p."user_address"),
  min(p."b_token_address"), sum(coalesce(pp."points_b", 0) ORDER BY p."user_address"),
  sum(p."b_supplied_amount_usd" ORDER BY p."user_address"),
  sum(p."b_protected_supplied_amount_usd" ORDER BY p."user_address"),
  sum(p."b_borrowed_amount_usd" ORDER BY p."user_address")
FROM "position" p LEFT JOIN "position_points" pp USING ("distribution_date", "user_address", "market_address")
GROUP BY p."market_address", p."distribution_date"
ORDER BY p."market_address", p."distribution_date";

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "pool_day"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
