-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('running', 'succeeded', 'failed');

-- AlterTable
ALTER TABLE "position_points" ADD COLUMN "run_id" BIGINT,
ADD COLUMN "given" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "distribution" ADD COLUMN "run_id" BIGINT;

-- CreateTable
CREATE TABLE "run" (
    "id" BIGSERIAL NOT NULL,
    "kind" "distribution_kind" NOT NULL,
    "date" DATE,
    "status" "run_status" NOT NULL,
    "requested_by" TEXT COLLATE "C" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT COLLATE "C",
    "base_deposit" DOUBLE PRECISION NOT NULL,
    "base_borrow" DOUBLE PRECISION NOT NULL,
    "multiplier_revision" BIGINT,
    "sources" JSONB NOT NULL DEFAULT '[]',
    "position_count_before" INTEGER,
    "position_count_after" INTEGER,
    "account_count_before" INTEGER,
    "account_count_after" INTEGER,
    "total_points_before" DOUBLE PRECISION,
    "total_points_after" DOUBLE PRECISION,

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "multiplier_revision" (
    "id" BIGSERIAL NOT NULL,
    "pool_address" TEXT COLLATE "C" NOT NULL,
    "deposit_token_a" DOUBLE PRECISION,
    "deposit_token_b" DOUBLE PRECISION,
    "borrow_token_a" DOUBLE PRECISION,
    "borrow_token_b" DOUBLE PRECISION,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "changed_by" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "multiplier_revision_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "run_date_id_idx" ON "run"("date", "id");

-- CreateIndex
CREATE INDEX "multiplier_revision_pool_address_id_idx" ON "multiplier_revision"("pool_address", "id");

-- CreateIndex
CREATE INDEX "multiplier_revision_pool_address_changed_at_id_idx" ON "multiplier_revision"("pool_address", "changed_at", "id");

-- The runs in progress: few, and asked for by every run that starts.
CREATE INDEX "run_running_idx" ON "run"("date") WHERE "status" = 'running';

-- Whoever changes a multiplier leaves a revision; gateway.actor is set by the gateway's own writers.
CREATE FUNCTION "record_multiplier_revision"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE actor TEXT := coalesce(nullif(current_setting('gateway.actor', true), ''), session_user);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "multiplier_revision" ("pool_address", "deposit_token_a", "deposit_token_b", "borrow_token_a",
      "borrow_token_b", "changed_at", "changed_by")
    SELECT "pool_address", "deposit_token_a", "deposit_token_b", "borrow_token_a", "borrow_token_b", "updated_at", actor
    FROM "new_rows" ORDER BY "pool_address";
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO "multiplier_revision" ("pool_address", "deposit_token_a", "deposit_token_b", "borrow_token_a",
      "borrow_token_b", "changed_at", "changed_by")
    SELECT n."pool_address", n."deposit_token_a", n."deposit_token_b", n."borrow_token_a", n."borrow_token_b",
      CASE WHEN n."updated_at" IS DISTINCT FROM o."updated_at" THEN n."updated_at" ELSE clock_timestamp() END, actor
    FROM "new_rows" n JOIN "old_rows" o USING ("pool_address")
    WHERE (n."deposit_token_a", n."deposit_token_b", n."borrow_token_a", n."borrow_token_b")
      IS DISTINCT FROM (o."deposit_token_a", o."deposit_token_b", o."borrow_token_a", o."borrow_token_b")
    ORDER BY n."pool_address";
  ELSE
    INSERT INTO "multiplier_revision" ("pool_address", "changed_at", "changed_by")
    SELECT "pool_address", clock_timestamp(), actor FROM "old_rows" ORDER BY "pool_address";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "record_insert" AFTER INSERT ON "multiplier" REFERENCING NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_multiplier_revision"();
CREATE TRIGGER "record_update" AFTER UPDATE ON "multiplier" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_multiplier_revision"();
CREATE TRIGGER "record_delete" AFTER DELETE ON "multiplier" REFERENCING OLD TABLE AS "old_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_multiplier_revision"();

INSERT INTO "multiplier_revision" ("pool_address", "deposit_token_a", "deposit_token_b", "borrow_token_a",
  "borrow_token_b", "changed_at", "changed_by")
SELECT "pool_address", "deposit_token_a", "deposit_token_b", "borrow_token_a", "borrow_token_b", "updated_at", 'migration'
FROM "multiplier" ORDER BY "pool_address";

-- The data version is the sum of two rows: a run is recorded as it starts, also while a long write has locked row 1.
ALTER TABLE "data_version" DROP CONSTRAINT "data_version_id_check";
ALTER TABLE "data_version" ADD CHECK ("id" IN (1, 2));
INSERT INTO "data_version" ("id", "version") VALUES (2, 0);

-- Every gateway that listens learns of a change at the moment it is committed.
CREATE OR REPLACE FUNCTION "raise_data_version"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "data_version" SET "version" = "version" + 1, "written_by" = pg_current_xact_id()
  WHERE "id" = coalesce(TG_ARGV[0]::int, 1) AND "written_by" <> pg_current_xact_id();
  IF FOUND THEN
    PERFORM pg_notify('gateway_data', '');
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "multiplier_revision"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "run"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version(2);

-- A run that has ended is announced by its id.
CREATE FUNCTION "announce_run"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gateway_run', NEW."id"::text);
  RETURN NULL;
END $$;
CREATE TRIGGER "announce_run" AFTER INSERT OR UPDATE ON "run" FOR EACH ROW WHEN (NEW."status" <> 'running')
  EXECUTE FUNCTION "announce_run"();
