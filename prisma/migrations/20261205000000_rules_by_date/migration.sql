-- The distribution date from which a revision counts. Null means every date.
ALTER TABLE "multiplier_revision" ADD COLUMN "from_date" DATE,
ADD COLUMN "revoked_at" TIMESTAMPTZ(3),
ADD COLUMN "revoked_by" TEXT COLLATE "C";

-- The rules of a date are the newest revision that is not revoked and whose date is absent or not after it. A revision is in
-- force until the first date from which a newer one is.
CREATE VIEW "multiplier_rule" AS
SELECT * FROM (
  SELECT r.*, nullif(min(coalesce("from_date", date '-infinity')) OVER (PARTITION BY "pool_address" ORDER BY "id" DESC
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), date 'infinity') AS "until_date"
  FROM "multiplier_revision" r WHERE "revoked_at" IS NULL) r
WHERE "until_date" IS NULL OR "until_date" > coalesce("from_date", date '-infinity');

-- Base points of dates. The settings count for dates that none of these is in force for.
CREATE TABLE "base_points_revision" (
    "id" BIGSERIAL NOT NULL,
    "deposit" DOUBLE PRECISION NOT NULL,
    "borrow" DOUBLE PRECISION NOT NULL,
    "from_date" DATE,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "changed_by" TEXT COLLATE "C" NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by" TEXT COLLATE "C",

    CONSTRAINT "base_points_revision_pkey" PRIMARY KEY ("id")
);

CREATE VIEW "base_points_rule" AS
SELECT * FROM (
  SELECT r.*, nullif(min(coalesce("from_date", date '-infinity')) OVER (ORDER BY "id" DESC
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), date 'infinity') AS "until_date"
  FROM "base_points_revision" r WHERE "revoked_at" IS NULL) r
WHERE "until_date" IS NULL OR "until_date" > coalesce("from_date", date '-infinity');

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "base_points_revision"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();

-- The gateway records revisions with a date itself: "multiplier" then follows, without another revision.
CREATE OR REPLACE FUNCTION "record_multiplier_revision"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE actor TEXT := coalesce(nullif(current_setting('gateway.actor', true), ''), session_user);
BEGIN
  IF current_setting('gateway.settling', true) = 'on' THEN
    RETURN NULL;
  END IF;
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

CREATE FUNCTION "record_multipliers_removed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "multiplier_revision" ("pool_address", "changed_at", "changed_by")
  SELECT DISTINCT "pool_address", clock_timestamp(), coalesce(nullif(current_setting('gateway.actor', true), ''), session_user)
  FROM "multiplier_rule" WHERE "deposit_token_a" IS NOT NULL ORDER BY 1;
  RETURN NULL;
END $$;
CREATE TRIGGER "record_truncate" AFTER TRUNCATE ON "multiplier"
  FOR EACH STATEMENT EXECUTE FUNCTION "record_multipliers_removed"();
