-- The snapshots of a market or vault by time: rows of equal keys share an entry, so that the index takes a fifth of the bytes. Rows
-- of one moment are few enough to sort.
CREATE INDEX "market_snapshot_market_id_timestamp_idx" ON "market_snapshot" ("market_id", "timestamp");
DROP INDEX "market_snapshot_market_id_chain_id_timestamp_account_id_pos_idx";
CREATE INDEX "vault_snapshot_vault_id_timestamp_idx" ON "vault_snapshot" ("vault_id", "timestamp");
DROP INDEX "vault_snapshot_vault_id_chain_id_timestamp_account_id_posit_idx";
