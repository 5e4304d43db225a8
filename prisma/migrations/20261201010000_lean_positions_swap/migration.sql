-- Copies what is not copied yet; a gateway has done all of it before, step by step (see move.sql).
DO $$
BEGIN
  WHILE "move_next_date"() LOOP
  END LOOP;
  IF (SELECT count(*) FROM "position") <> (SELECT count(*) FROM "stored_position") THEN
    RAISE EXCEPTION 'There are positions without a distribution or a pool: import their pools with the former version, or delete them.';
  END IF;
END $$;
DROP FUNCTION "move_next_date"();
DROP FUNCTION "move_date"(DATE);
DROP TABLE "moved_date", "position", "position_points";

SET LOCAL maintenance_work_mem = '256MB';
CREATE INDEX IF NOT EXISTS "stored_position_user_idx" ON "stored_position" ("user_address", "distribution_date");
CREATE INDEX IF NOT EXISTS "stored_position_pool_idx" ON "stored_position" ("pool_key", "distribution_date", "id" DESC);
CREATE UNIQUE INDEX IF NOT EXISTS "stored_position_date_idx" ON "stored_position" ("distribution_date", "id" DESC);

-- A hash index takes half the room of a B-tree.
ALTER TABLE "stored_position"
  ADD CONSTRAINT "stored_position_id_key" EXCLUDE USING hash ("id" WITH =),
  ADD CONSTRAINT "stored_position_points_range" CHECK (abs("points_a") <= 8589934592000000 AND abs("points_b") <= 8589934592000000);

-- Collateral for each dollar of debt, within what a double can hold. Few positions have debt, so the index is small.
CREATE INDEX "stored_position_coverage_idx" ON "stored_position" ("pool_key", "distribution_date", (least(greatest(
    (CASE WHEN "b_borrowed_amount_usd" > 0 THEN ("a_supplied_amount_usd"::numeric + "a_protected_supplied_amount_usd"::numeric) ELSE 0 END
      + CASE WHEN "a_borrowed_amount_usd" > 0 THEN ("b_supplied_amount_usd"::numeric + "b_protected_supplied_amount_usd"::numeric) ELSE 0 END)
    / (greatest("a_borrowed_amount_usd", 0)::numeric + greatest("b_borrowed_amount_usd", 0)::numeric), 1e-300), 1e300)::float8))
  WHERE "a_borrowed_amount_usd" > 0 OR "b_borrowed_amount_usd" > 0;

-- Postgres drops the join where no column of the pair is read.
CREATE VIEW "position" AS
SELECT t."id", t."user_address", t."distribution_date", t."pool_key", p."market_address",
  p."a_token_address", p."a_token_symbol", t."a_token_price", t."a_supplied_amount", t."a_supplied_amount_usd",
  t."a_protected_supplied_amount", t."a_protected_supplied_amount_usd", t."a_borrowed_amount", t."a_borrowed_amount_usd",
  p."b_token_address", p."b_token_symbol", t."b_token_price", t."b_supplied_amount", t."b_supplied_amount_usd",
  t."b_protected_supplied_amount", t."b_protected_supplied_amount_usd", t."b_borrowed_amount", t."b_borrowed_amount_usd",
  t."points_a", t."points_b", t."run_id"::BIGINT AS "run_id", t."given", t."pair_key"
FROM "stored_position" t LEFT JOIN "token_pair" p ON p."key" = t."pair_key";

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "stored_position"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "token_pair"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();

ALTER TABLE "standing" RENAME TO "rank_history";
ALTER INDEX "standing_pkey" RENAME TO "rank_history_pkey";
ALTER INDEX "standing_distribution_date_rank_idx" RENAME TO "rank_history_distribution_date_rank_idx";
ALTER TABLE "standing_day" RENAME TO "rank_history_date";
ALTER INDEX "standing_day_pkey" RENAME TO "rank_history_date_pkey";
