-- The amounts of each side of a pool in whole tokens, beside those in USD: exact sums of what positions have.
ALTER TABLE "pool_day"
  ADD COLUMN "a_supplied" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "a_protected" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "a_borrowed" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_supplied" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_protected" DECIMAL NOT NULL DEFAULT 0,
  ADD COLUMN "b_borrowed" DECIMAL NOT NULL DEFAULT 0;

SET LOCAL extra_float_digits = 1;
-- A cluster adds up positions before it joins rows that every server has, and updates these as conflicts of an insert.
INSERT INTO "pool_day" ("pool_address", "distribution_date", "position_count", "a_token_address", "a_points", "a_supplied_usd", "a_protected_usd", "a_borrowed_usd", "b_token_address", "b_points", "b_supplied_usd", "b_protected_usd", "b_borrowed_usd",
  "a_supplied", "a_protected", "a_borrowed", "b_supplied", "b_protected", "b_borrowed")
SELECT "pool_address", "distribution_date", d."position_count", d."a_token_address", d."a_points", d."a_supplied_usd", d."a_protected_usd", d."a_borrowed_usd", d."b_token_address", d."b_points", d."b_supplied_usd", d."b_protected_usd", d."b_borrowed_usd",
  t."a_supplied", t."a_protected", t."a_borrowed", t."b_supplied", t."b_protected", t."b_borrowed"
FROM "pool_day" d JOIN (
  SELECT "market_address" AS "pool_address", "distribution_date",
    coalesce(sum("a_supplied_amount"::text::decimal) FILTER (WHERE "a_supplied_amount" <> 0), 0) AS "a_supplied",
    coalesce(sum("a_protected_supplied_amount"::text::decimal) FILTER (WHERE "a_protected_supplied_amount" <> 0), 0) AS "a_protected",
    coalesce(sum("a_borrowed_amount"::text::decimal) FILTER (WHERE "a_borrowed_amount" <> 0), 0) AS "a_borrowed",
    coalesce(sum("b_supplied_amount"::text::decimal) FILTER (WHERE "b_supplied_amount" <> 0), 0) AS "b_supplied",
    coalesce(sum("b_protected_supplied_amount"::text::decimal) FILTER (WHERE "b_protected_supplied_amount" <> 0), 0) AS "b_protected",
    coalesce(sum("b_borrowed_amount"::text::decimal) FILTER (WHERE "b_borrowed_amount" <> 0), 0) AS "b_borrowed"
  FROM "position" GROUP BY 1, 2 OFFSET 0) t USING ("pool_address", "distribution_date")
ON CONFLICT ("pool_address", "distribution_date") DO UPDATE SET ("a_supplied", "a_protected", "a_borrowed", "b_supplied", "b_protected", "b_borrowed")
  = (excluded."a_supplied", excluded."a_protected", excluded."a_borrowed", excluded."b_supplied", excluded."b_protected", excluded."b_borrowed");
