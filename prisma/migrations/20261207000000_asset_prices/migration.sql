-- The price of each token on each day (UTC), from sources of analytics.
CREATE TABLE "asset_price" (
    "chain_id" BIGINT NOT NULL,
    "asset_address" TEXT COLLATE "C" NOT NULL,
    "date" DATE NOT NULL,
    "price_usd" DOUBLE PRECISION NOT NULL,
    "source" TEXT COLLATE "C",
    "time" TIMESTAMPTZ(3),

    CONSTRAINT "asset_price_pkey" PRIMARY KEY ("chain_id", "asset_address", "date")
);

-- Which of a snapshot's USD values its source does not have and the price of the day gave.
ALTER TABLE "market_snapshot" ADD COLUMN "computed_usd" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "market_holding" ADD COLUMN "computed_usd" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "vault_snapshot" ADD COLUMN "computed_usd" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "vault_holding" ADD COLUMN "computed_usd" SMALLINT NOT NULL DEFAULT 0;

DO $$
BEGIN
  IF to_regprocedure('data_changed()') IS NULL THEN
    CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "asset_price"
      FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
  ELSE
    PERFORM create_reference_table('asset_price');
  END IF;
END $$;
