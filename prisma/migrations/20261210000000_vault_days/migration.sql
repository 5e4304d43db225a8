-- What the users of each vault have in it at the end of each day (UTC) with a snapshot.
CREATE TABLE "vault_day" (
    "chain_id" BIGINT NOT NULL,
    "vault_id" TEXT COLLATE "C" NOT NULL,
    "date" DATE NOT NULL,
    "assets" DECIMAL NOT NULL,
    "shares" DECIMAL NOT NULL,
    "assets_usd" DECIMAL NOT NULL,
    "unpriced" INTEGER NOT NULL,
    "user_count" INTEGER NOT NULL,

    CONSTRAINT "vault_day_pkey" PRIMARY KEY ("chain_id", "vault_id", "date")
);
CREATE INDEX "vault_day_date_idx" ON "vault_day"("date");

-- Of what is stored already, as refresh-vault-days.ts adds it up.
SET LOCAL extra_float_digits = 1;
INSERT INTO "vault_day"
WITH "change" AS MATERIALIZED (
  SELECT "chain_id", "vault_id", "date", sum("assets") AS "assets", sum("shares") AS "shares", sum("assets_usd") AS "assets_usd",
    sum("unpriced") AS "unpriced", sum("user_count") AS "user_count"
  FROM (SELECT "chain_id", "vault_id", date '1970-01-01' + (least("timestamp", 253402300799) / 86400)::int AS "date",
      "assets" - lag("assets", 1, 0) OVER w AS "assets", "shares" - lag("shares", 1, 0) OVER w AS "shares",
      "assets_usd" - lag("assets_usd", 1, 0) OVER w AS "assets_usd", "unpriced" - lag("unpriced", 1, 0) OVER w AS "unpriced",
      "user_count" - lag("user_count", 1, 0) OVER w AS "user_count"
    FROM (SELECT "account_id", "chain_id", "vault_id", "timestamp", sum("assets")::decimal AS "assets", sum("shares")::decimal AS "shares",
        coalesce(sum("assets_usd"::text::decimal), 0)::decimal AS "assets_usd",
        (count(*) FILTER (WHERE "assets_usd" IS NULL AND "assets" <> 0))::int AS "unpriced",
        (sum("assets") + sum("shares") > 0)::int AS "user_count"
      FROM "vault_snapshot" GROUP BY 1, 2, 3, 4) s
    WINDOW w AS (PARTITION BY "account_id", "chain_id", "vault_id" ORDER BY "timestamp")) c
  GROUP BY 1, 2, 3)
SELECT "chain_id", "vault_id", "date", sum("assets") OVER w, sum("shares") OVER w, sum("assets_usd") OVER w, sum("unpriced") OVER w,
  sum("user_count") OVER w
FROM "change" WINDOW w AS (PARTITION BY "chain_id", "vault_id" ORDER BY "date");

DO $$
BEGIN
  IF to_regprocedure('data_changed()') IS NULL THEN
    CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "vault_day"
      FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
    ANALYZE "vault_day";
  ELSE
    PERFORM create_reference_table('vault_day');
  END IF;
END $$;
