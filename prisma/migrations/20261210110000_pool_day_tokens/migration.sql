-- The amounts of each side of a pool in whole tokens, beside those in USD: exact sums of what positions have.
ALTER TABLE "pool_day"
  ADD COLUMN "a_supplied" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "a_protected" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "a_borrowed" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_supplied" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_protected" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_borrowed" DECIMAL NOT NULL DEFAULT 0;

SET LOCAL extra_float_digits = 1;
CREATE TEMP TABLE "pool_day_tokens" ON COMMIT DROP AS
SELECT "market_address" AS "pool_address", "distribution_date",
  coalesce(sum("a_supplied_amount"::text::decimal) FILTER (WHERE "a_supplied_amount" <> 0), 0) AS "a_supplied",
  coalesce(sum("a_protected_supplied_amount"::text::decimal) FILTER (WHERE "a_protected_supplied_amount" <> 0), 0) AS "a_protected",
  coalesce(sum("a_borrowed_amount"::text::decimal) FILTER (WHERE "a_borrowed_amount" <> 0), 0) AS "a_borrowed",
  coalesce(sum("b_supplied_amount"::text::decimal) FILTER (WHERE "b_supplied_amount" <> 0), 0) AS "b_supplied",
  coalesce(sum("b_protected_supplied_amount"::text::decimal) FILTER (WHERE "b_protected_supplied_amount" <> 0), 0) AS "b_protected",
  coalesce(sum("b_borrowed_amount"::text::decimal) FILTER (WHERE "b_borrowed_amount" <> 0), 0) AS "b_borrowed"
FROM "position" GROUP BY 1, 2;

UPDATE "pool_day" d SET "a_supplied" = t."a_supplied", "a_protected" = t."a_protected", "a_borrowed" = t."a_borrowed",
  "b_supplied" = t."b_supplied", "b_protected" = t."b_protected", "b_borrowed" = t."b_borrowed"
FROM (SELECT * FROM "pool_day_tokens" OFFSET 0) t
WHERE d."pool_address" = t."pool_address" AND d."distribution_date" = t."distribution_date";
DROP TABLE "pool_day_tokens";
