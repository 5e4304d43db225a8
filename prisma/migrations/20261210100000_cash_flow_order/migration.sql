-- The cash flow before and after another one of its user in a market or vault, which tell whether it opened or closed what the user has.
CREATE INDEX "cash_flow_account_id_chain_id_entity_type_entity_id_timesta_idx" ON "cash_flow" ("account_id", "chain_id", "entity_type", "entity_id", "timestamp", "log_index");
