-- The newest activity of all users is read from the end of an index. The rewards have theirs.
CREATE INDEX "cash_flow_timestamp_idx" ON "cash_flow" ("timestamp");
