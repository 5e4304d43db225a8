-- Points are counted in millionths, as integers: sums of them are exact, in whatever order they are added up.

-- Each of these rewrites its table once. Positions are rounded first, and every total is made from them again.
ALTER TABLE "position_points"
  ALTER COLUMN "points_a" TYPE BIGINT USING round("points_a" * 1e6)::BIGINT,
  ALTER COLUMN "points_b" TYPE BIGINT USING round("points_b" * 1e6)::BIGINT,
  ADD CONSTRAINT "position_points_range" CHECK (abs("points_a") <= 8589934592000000 AND abs("points_b") <= 8589934592000000);
ALTER TABLE "account_day" ALTER COLUMN "points" TYPE BIGINT USING 0;
ALTER TABLE "account" ALTER COLUMN "points" TYPE BIGINT USING 0;
ALTER TABLE "distribution" ALTER COLUMN "total_points" TYPE BIGINT USING 0;
ALTER TABLE "program" ALTER COLUMN "total_points" TYPE BIGINT USING 0;
ALTER TABLE "pool_day" ALTER COLUMN "a_points" TYPE BIGINT USING 0, ALTER COLUMN "b_points" TYPE BIGINT USING 0;
ALTER TABLE "run"
  ALTER COLUMN "total_points_before" TYPE BIGINT USING round("total_points_before" * 1e6)::BIGINT,
  ALTER COLUMN "total_points_after" TYPE BIGINT USING round("total_points_after" * 1e6)::BIGINT;

-- The gateway computes the places of past dates in the background.
TRUNCATE "standing", "standing_day";
ALTER TABLE "standing" ALTER COLUMN "points" TYPE BIGINT USING 0;

-- A table that is filled anew takes less time and room than one whose every row is updated.
TRUNCATE "account_day";
INSERT INTO "account_day" ("user_address", "distribution_date", "points", "position_count")
SELECT "user_address", "distribution_date", sum("points_a" + "points_b"), count(*)
FROM "position_points" GROUP BY 1, 2 ORDER BY 1, 2;

UPDATE "account" a SET "points" = t."points", "rank" = t."rank"
FROM (SELECT "user_address", sum("points") AS "points",
    row_number() OVER (ORDER BY sum("points") DESC, "user_address") AS "rank"
  FROM "account_day" GROUP BY 1) t
WHERE t."user_address" = a."user_address";

UPDATE "distribution" d SET "total_points" = t."points"
FROM (SELECT "distribution_date", sum("points") AS "points" FROM "account_day" GROUP BY 1) t
WHERE t."distribution_date" = d."date";

UPDATE "program" SET "total_points" = (SELECT coalesce(sum("total_points"), 0) FROM "distribution");

UPDATE "pool_day" d SET "a_points" = t."a_points", "b_points" = t."b_points"
FROM (SELECT "market_address", "distribution_date", sum("points_a") AS "a_points", sum("points_b") AS "b_points"
  FROM "position_points" GROUP BY 1, 2) t
WHERE t."market_address" = d."pool_address" AND t."distribution_date" = d."distribution_date";
