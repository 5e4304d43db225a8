-- CreateEnum
CREATE TYPE "distribution_kind" AS ENUM ('import', 'manualupdate', 'resync');

-- CreateEnum
CREATE TYPE "entity_type" AS ENUM ('market', 'vault');

-- CreateEnum
CREATE TYPE "cash_flow_kind" AS ENUM ('deposit', 'withdraw', 'borrow', 'repay');

-- CreateTable
CREATE TABLE "user" (
    "address" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "pool" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "market_id" BIGINT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "asset_1_address" TEXT COLLATE "C" NOT NULL,
    "asset_1_name" TEXT COLLATE "C" NOT NULL,
    "asset_1_symbol" TEXT COLLATE "C" NOT NULL,
    "asset_2_address" TEXT COLLATE "C" NOT NULL,
    "asset_2_name" TEXT COLLATE "C" NOT NULL,
    "asset_2_symbol" TEXT COLLATE "C" NOT NULL,
    "created_timestamp" BIGINT NOT NULL,
    "interest_last_updated" BIGINT NOT NULL,
    "unit_1_id" TEXT COLLATE "C" NOT NULL,
    "unit_2_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "pool_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "multiplier" (
    "id" TEXT COLLATE "C" NOT NULL,
    "pool_address" TEXT COLLATE "C" NOT NULL,
    "deposit_token_a" DOUBLE PRECISION NOT NULL,
    "deposit_token_b" DOUBLE PRECISION NOT NULL,
    "borrow_token_a" DOUBLE PRECISION NOT NULL,
    "borrow_token_b" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "multiplier_pkey" PRIMARY KEY ("pool_address")
);

-- CreateTable
CREATE TABLE "market" (
    "chain_id" BIGINT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "pool_id" TEXT COLLATE "C" NOT NULL,
    "asset_address" TEXT COLLATE "C" NOT NULL,
    "asset_symbol" TEXT COLLATE "C" NOT NULL,
    "asset_decimals" INTEGER NOT NULL,
    "deposit_rate" DOUBLE PRECISION NOT NULL,
    "borrow_rate" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "market_pkey" PRIMARY KEY ("chain_id","id")
);

-- CreateTable
CREATE TABLE "vault" (
    "chain_id" BIGINT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "asset_address" TEXT COLLATE "C" NOT NULL,
    "asset_symbol" TEXT COLLATE "C" NOT NULL,
    "asset_decimals" INTEGER NOT NULL,
    "deposit_rate" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "vault_pkey" PRIMARY KEY ("chain_id","id")
);

-- CreateTable
CREATE TABLE "position" (
    "id" TEXT COLLATE "C" NOT NULL,
    "user_address" TEXT COLLATE "C" NOT NULL,
    "distribution_date" DATE NOT NULL,
    "market_address" TEXT COLLATE "C" NOT NULL,
    "a_token_address" TEXT COLLATE "C" NOT NULL,
    "a_token_symbol" TEXT COLLATE "C" NOT NULL,
    "a_token_price" DOUBLE PRECISION NOT NULL,
    "a_supplied_amount" DOUBLE PRECISION NOT NULL,
    "a_supplied_amount_usd" DOUBLE PRECISION NOT NULL,
    "a_protected_supplied_amount" DOUBLE PRECISION NOT NULL,
    "a_protected_supplied_amount_usd" DOUBLE PRECISION NOT NULL,
    "a_borrowed_amount" DOUBLE PRECISION NOT NULL,
    "a_borrowed_amount_usd" DOUBLE PRECISION NOT NULL,
    "b_token_address" TEXT COLLATE "C" NOT NULL,
    "b_token_symbol" TEXT COLLATE "C" NOT NULL,
    "b_token_price" DOUBLE PRECISION NOT NULL,
    "b_supplied_amount" DOUBLE PRECISION NOT NULL,
    "b_supplied_amount_usd" DOUBLE PRECISION NOT NULL,
    "b_protected_supplied_amount" DOUBLE PRECISION NOT NULL,
    "b_protected_supplied_amount_usd" DOUBLE PRECISION NOT NULL,
    "b_borrowed_amount" DOUBLE PRECISION NOT NULL,
    "b_borrowed_amount_usd" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "position_pkey" PRIMARY KEY ("user_address","distribution_date","market_address")
);

-- CreateTable
CREATE TABLE "position_points" (
    "distribution_date" DATE NOT NULL,
    "user_address" TEXT COLLATE "C" NOT NULL,
    "market_address" TEXT COLLATE "C" NOT NULL,
    "points_a" DOUBLE PRECISION NOT NULL,
    "points_b" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "position_points_pkey" PRIMARY KEY ("distribution_date","user_address","market_address")
);

-- CreateTable
CREATE TABLE "distribution" (
    "date" DATE NOT NULL,
    "total_points" DOUBLE PRECISION NOT NULL,
    "position_count" INTEGER NOT NULL,
    "account_count" INTEGER NOT NULL,
    "kind" "distribution_kind" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "distribution_pkey" PRIMARY KEY ("date")
);

-- CreateTable
CREATE TABLE "account_day" (
    "user_address" TEXT COLLATE "C" NOT NULL,
    "distribution_date" DATE NOT NULL,
    "points" DOUBLE PRECISION NOT NULL,
    "position_count" INTEGER NOT NULL,

    CONSTRAINT "account_day_pkey" PRIMARY KEY ("user_address","distribution_date")
);

-- CreateTable
CREATE TABLE "account" (
    "user_address" TEXT COLLATE "C" NOT NULL,
    "points" DOUBLE PRECISION NOT NULL,
    "rank" INTEGER NOT NULL,
    "position_count" INTEGER NOT NULL,
    "first_distribution_date" DATE NOT NULL,
    "last_distribution_date" DATE NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("user_address")
);

-- CreateTable
CREATE TABLE "program" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "total_points" DOUBLE PRECISION NOT NULL,
    "account_count" INTEGER NOT NULL,
    "position_count" INTEGER NOT NULL,

    CONSTRAINT "program_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "market_snapshot" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "market_id" TEXT COLLATE "C" NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "position_id" TEXT COLLATE "C" NOT NULL,
    "collateral_assets" DECIMAL(78,0) NOT NULL,
    "collateral_usd" DOUBLE PRECISION,
    "protected_assets" DECIMAL(78,0) NOT NULL,
    "protected_usd" DOUBLE PRECISION,
    "debt_assets" DECIMAL(78,0) NOT NULL,
    "debt_usd" DOUBLE PRECISION,

    CONSTRAINT "market_snapshot_pkey" PRIMARY KEY ("account_id","chain_id","market_id","timestamp","position_id")
);

-- CreateTable
CREATE TABLE "vault_snapshot" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "vault_id" TEXT COLLATE "C" NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "position_id" TEXT COLLATE "C" NOT NULL,
    "shares" DECIMAL(78,0) NOT NULL,
    "assets" DECIMAL(78,0) NOT NULL,
    "assets_usd" DOUBLE PRECISION,

    CONSTRAINT "vault_snapshot_pkey" PRIMARY KEY ("account_id","chain_id","vault_id","timestamp","position_id")
);

-- CreateTable
CREATE TABLE "market_liquidation_reward" (
    "chain_id" BIGINT NOT NULL,
    "tx_hash" TEXT COLLATE "C" NOT NULL,
    "log_index" BIGINT NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "debt_market_id" TEXT COLLATE "C" NOT NULL,
    "collateral_market_id" TEXT COLLATE "C" NOT NULL,
    "supply_sent" DECIMAL(78,0) NOT NULL,
    "supply_sent_usd" DOUBLE PRECISION,
    "collateral_received" DECIMAL(78,0) NOT NULL,
    "collateral_received_usd" DOUBLE PRECISION,
    "liquid_reward" DECIMAL(78,0) NOT NULL,
    "liquid_reward_usd" DOUBLE PRECISION,
    "user_roi" TEXT COLLATE "C",
    "claimed_timestamp" BIGINT,

    CONSTRAINT "market_liquidation_reward_pkey" PRIMARY KEY ("chain_id","tx_hash","log_index","account_id")
);

-- CreateTable
CREATE TABLE "vault_liquidation_reward" (
    "chain_id" BIGINT NOT NULL,
    "tx_hash" TEXT COLLATE "C" NOT NULL,
    "log_index" BIGINT NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "vault_id" TEXT COLLATE "C" NOT NULL,
    "supply_sent" DECIMAL(78,0) NOT NULL,
    "supply_sent_usd" DOUBLE PRECISION,
    "collateral_received" DECIMAL(78,0) NOT NULL,
    "collateral_received_usd" DOUBLE PRECISION,
    "liquid_reward" DECIMAL(78,0) NOT NULL,
    "liquid_reward_usd" DOUBLE PRECISION,
    "user_roi" TEXT COLLATE "C",
    "claimed_timestamp" BIGINT,

    CONSTRAINT "vault_liquidation_reward_pkey" PRIMARY KEY ("chain_id","tx_hash","log_index","account_id")
);

-- CreateTable
CREATE TABLE "cash_flow" (
    "chain_id" BIGINT NOT NULL,
    "tx_hash" TEXT COLLATE "C" NOT NULL,
    "log_index" BIGINT NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "entity_id" TEXT COLLATE "C" NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "kind" "cash_flow_kind" NOT NULL,
    "amount_usd" DOUBLE PRECISION,

    CONSTRAINT "cash_flow_pkey" PRIMARY KEY ("chain_id","tx_hash","log_index","account_id")
);

-- CreateTable
CREATE TABLE "data_version" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "version" BIGINT NOT NULL,

    CONSTRAINT "data_version_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "pool_market_id_id_idx" ON "pool"("market_id", "id");

-- CreateIndex
CREATE INDEX "pool_chain_id_market_id_id_idx" ON "pool"("chain_id", "market_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "multiplier_id_key" ON "multiplier"("id");

-- CreateIndex
CREATE INDEX "market_id_idx" ON "market"("id");

-- CreateIndex
CREATE INDEX "vault_id_idx" ON "vault"("id");

-- CreateIndex
CREATE UNIQUE INDEX "position_id_key" ON "position"("id");

-- CreateIndex
CREATE INDEX "position_distribution_date_id_idx" ON "position"("distribution_date" DESC, "id");

-- CreateIndex
CREATE INDEX "position_market_address_distribution_date_id_idx" ON "position"("market_address", "distribution_date" DESC, "id");

-- CreateIndex
CREATE INDEX "position_a_token_address_distribution_date_id_idx" ON "position"("a_token_address", "distribution_date" DESC, "id");

-- CreateIndex
CREATE INDEX "position_b_token_address_distribution_date_id_idx" ON "position"("b_token_address", "distribution_date" DESC, "id");

-- CreateIndex
CREATE INDEX "account_rank_idx" ON "account"("rank");

-- CreateIndex
CREATE INDEX "market_snapshot_account_id_timestamp_chain_id_market_id_pos_idx" ON "market_snapshot"("account_id", "timestamp", "chain_id", "market_id", "position_id");

-- CreateIndex
CREATE INDEX "market_snapshot_market_id_chain_id_timestamp_account_id_pos_idx" ON "market_snapshot"("market_id", "chain_id", "timestamp", "account_id", "position_id");

-- CreateIndex
CREATE INDEX "vault_snapshot_account_id_timestamp_chain_id_vault_id_posit_idx" ON "vault_snapshot"("account_id", "timestamp", "chain_id", "vault_id", "position_id");

-- CreateIndex
CREATE INDEX "vault_snapshot_vault_id_chain_id_timestamp_account_id_posit_idx" ON "vault_snapshot"("vault_id", "chain_id", "timestamp", "account_id", "position_id");

-- CreateIndex
CREATE INDEX "market_liquidation_reward_account_id_timestamp_log_index_tx_idx" ON "market_liquidation_reward"("account_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "chain_id");

-- CreateIndex
CREATE INDEX "vault_liquidation_reward_account_id_timestamp_log_index_tx__idx" ON "vault_liquidation_reward"("account_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "chain_id");

-- CreateIndex
CREATE INDEX "cash_flow_account_id_chain_id_entity_type_entity_id_idx" ON "cash_flow"("account_id", "chain_id", "entity_type", "entity_id");


-- A recompute updates these rows in place (HOT): leave room on their pages, and index nothing that changes.
ALTER TABLE "position_points" SET (fillfactor = 50);
ALTER TABLE "account_day" SET (fillfactor = 70);
ALTER TABLE "account" SET (fillfactor = 50);

INSERT INTO "program" ("id", "total_points", "account_count", "position_count") VALUES (1, 0, 0, 0);
ALTER TABLE "program" ADD CHECK ("id" = 1);

-- Any transaction that writes data, by whatever client, raises the data version once, and its readers see both at once.
ALTER TABLE "data_version" ADD CHECK ("id" = 1);
ALTER TABLE "data_version" ADD COLUMN "written_by" XID8 NOT NULL DEFAULT '0';
INSERT INTO "data_version" ("id", "version") VALUES (1, 1);

CREATE FUNCTION "raise_data_version"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "data_version" SET "version" = "version" + 1, "written_by" = pg_current_xact_id()
  WHERE "written_by" <> pg_current_xact_id();
  RETURN NULL;
END $$;

DO $$
DECLARE name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['user', 'pool', 'multiplier', 'market', 'vault', 'position', 'position_points', 'distribution',
    'account_day', 'account', 'program', 'market_snapshot', 'vault_snapshot', 'market_liquidation_reward',
    'vault_liquidation_reward', 'cash_flow'] LOOP
    EXECUTE format('CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I '
      'FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version()', name);
  END LOOP;
END $$;
