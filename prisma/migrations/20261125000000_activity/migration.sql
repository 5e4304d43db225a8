-- The activity of a user, a market and a vault, newest first.
-- AlterTable
ALTER TABLE "cash_flow" ADD COLUMN "assets" DECIMAL(78,0);

-- The first new index also serves what this one did.
-- DropIndex
DROP INDEX "cash_flow_account_id_chain_id_entity_type_entity_id_idx";

-- CreateIndex
CREATE INDEX "cash_flow_account_id_timestamp_log_index_tx_hash_chain_id_idx" ON "cash_flow"("account_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "chain_id");

-- CreateIndex
CREATE INDEX "cash_flow_entity_type_entity_id_chain_id_timestamp_log_inde_idx" ON "cash_flow"("entity_type", "entity_id", "chain_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "account_id");

-- CreateIndex
CREATE INDEX "market_liquidation_reward_collateral_market_id_chain_id_tim_idx" ON "market_liquidation_reward"("collateral_market_id", "chain_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "account_id");

-- CreateIndex
CREATE INDEX "vault_liquidation_reward_vault_id_chain_id_timestamp_log_in_idx" ON "vault_liquidation_reward"("vault_id", "chain_id", "timestamp" DESC, "log_index" DESC, "tx_hash", "account_id");
