-- How runs have changed an account's points on a date: 24 bytes an entry, in three numbers: the run and the pool, the points
-- before with the reasons, the points after. In the row of the day an entry costs neither another row nor an index.
ALTER TABLE "account_day" ADD COLUMN "ledger" BYTEA;

-- Null if the run wrote no entries, or they are no longer kept.
ALTER TABLE "run" ADD COLUMN "ledger_entries" INTEGER;

-- The entries of days whose positions were all removed.
CREATE TABLE "removed_day" (
    "user_address" TEXT COLLATE "C" NOT NULL,
    "distribution_date" DATE NOT NULL,
    "ledger" BYTEA NOT NULL,

    CONSTRAINT "removed_day_pkey" PRIMARY KEY ("user_address", "distribution_date")
);

DO $$
BEGIN
  IF to_regprocedure('data_changed()') IS NULL THEN
    CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "removed_day"
      FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
  ELSE
    SET LOCAL citus.multi_shard_modify_mode = 'sequential';
    PERFORM create_distributed_table('removed_day', 'user_address', colocate_with => 'account_day');
  END IF;
END $$;

CREATE VIEW "account_ledger" AS
SELECT "user_address", "distribution_date", "run_and_pool" >> 32 AS "run_id", ("run_and_pool" & 4294967295)::INT AS "pool_key",
  "before_and_reasons" >> 8 AS "points_before", "points_after", ("before_and_reasons" & 255)::INT AS "reasons"
FROM (
  SELECT d."user_address", d."distribution_date",
    ('x' || encode(substring("ledger", n, 8), 'hex'))::BIT(64)::BIGINT AS "run_and_pool",
    ('x' || encode(substring("ledger", n + 8, 8), 'hex'))::BIT(64)::BIGINT AS "before_and_reasons",
    ('x' || encode(substring("ledger", n + 16, 8), 'hex'))::BIT(64)::BIGINT AS "points_after"
  FROM (SELECT "user_address", "distribution_date", "ledger" FROM "account_day" WHERE "ledger" IS NOT NULL
    UNION ALL SELECT "user_address", "distribution_date", "ledger" FROM "removed_day") d
  CROSS JOIN LATERAL generate_series(1, length("ledger"), 24) n) e;
