-- The rewards of all users in a range of dates.
-- CreateIndex
CREATE INDEX "market_liquidation_reward_timestamp_idx" ON "market_liquidation_reward"("timestamp");

-- CreateIndex
CREATE INDEX "vault_liquidation_reward_timestamp_idx" ON "vault_liquidation_reward"("timestamp");
