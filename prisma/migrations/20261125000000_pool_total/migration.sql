-- CreateTable
CREATE TABLE "pool_total" (
    "pool_address" TEXT COLLATE "C" NOT NULL,
    "points" BIGINT NOT NULL,

    CONSTRAINT "pool_total_pkey" PRIMARY KEY ("pool_address")
);

INSERT INTO "pool_total" ("pool_address", "points")
SELECT "pool_address", sum("a_points" + "b_points")::bigint FROM "pool_day" GROUP BY 1;

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "pool_total"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();

-- An asset is found by its markets and vaults.
CREATE INDEX "market_chain_id_asset_address_idx" ON "market"("chain_id", "asset_address");
CREATE INDEX "vault_chain_id_asset_address_idx" ON "vault"("chain_id", "asset_address");
