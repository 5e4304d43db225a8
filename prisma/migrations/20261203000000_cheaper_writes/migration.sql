-- Coverage in doubles: an insert computes it several times faster than in numerics. Where a double would overflow or underflow it
-- is less than the quotient, never more.
CREATE INDEX "stored_position_coverage" ON "stored_position" ("pool_key", "distribution_date", (
    CASE WHEN (CASE WHEN "b_borrowed_amount_usd" > 0 THEN least("a_supplied_amount_usd", 1e140) + least("a_protected_supplied_amount_usd", 1e140) ELSE 0 END
      + CASE WHEN "a_borrowed_amount_usd" > 0 THEN least("b_supplied_amount_usd", 1e140) + least("b_protected_supplied_amount_usd", 1e140) ELSE 0 END) > 1e-150 AND "a_borrowed_amount_usd" < 1e150 AND "b_borrowed_amount_usd" < 1e150
    THEN (CASE WHEN "b_borrowed_amount_usd" > 0 THEN least("a_supplied_amount_usd", 1e140) + least("a_protected_supplied_amount_usd", 1e140) ELSE 0 END
      + CASE WHEN "a_borrowed_amount_usd" > 0 THEN least("b_supplied_amount_usd", 1e140) + least("b_protected_supplied_amount_usd", 1e140) ELSE 0 END)
      / greatest(greatest("a_borrowed_amount_usd", 0) + greatest("b_borrowed_amount_usd", 0), 1e-150) ELSE 0 END))
  WHERE "a_borrowed_amount_usd" > 0 OR "b_borrowed_amount_usd" > 0;
DROP INDEX "stored_position_coverage_idx";
ALTER INDEX "stored_position_coverage" RENAME TO "stored_position_coverage_idx";

-- Holdings by two functions for both kinds of snapshots. Their keys may change, and their tables may be emptied.
DROP TRIGGER add_holdings ON "market_snapshot";
DROP TRIGGER refresh_holdings_updated ON "market_snapshot";
DROP TRIGGER refresh_holdings_deleted ON "market_snapshot";
DROP TRIGGER add_holdings ON "vault_snapshot";
DROP TRIGGER refresh_holdings_updated ON "vault_snapshot";
DROP TRIGGER refresh_holdings_deleted ON "vault_snapshot";
DROP FUNCTION "add_market_holdings", "refresh_market_holdings", "add_vault_holdings", "refresh_vault_holdings";

-- Snapshots have come: the newest ones replace older holdings. EXECUTE plans each statement for what the tables hold by then. The
-- UPDATE of an upsert has its trigger first, which finds inserted rows too.
CREATE FUNCTION "add_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE replace($sql$
    DELETE FROM {kind}_holding h
    USING (SELECT account_id, chain_id, {kind}_id, max(timestamp) AS timestamp FROM changed GROUP BY 1, 2, 3) n
    WHERE h.account_id = n.account_id AND h.chain_id = n.chain_id AND h.{kind}_id = n.{kind}_id AND h.timestamp < n.timestamp
  $sql$, '{kind}', TG_ARGV[0]);
  EXECUTE replace($sql$
    INSERT INTO {kind}_holding SELECT s.* FROM changed s
    JOIN (SELECT account_id, chain_id, {kind}_id, max(timestamp) AS timestamp FROM changed GROUP BY 1, 2, 3) n
      USING (account_id, chain_id, {kind}_id, timestamp)
    WHERE NOT EXISTS (SELECT FROM {kind}_holding h WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id
      AND h.{kind}_id = s.{kind}_id AND h.timestamp > s.timestamp)
    ORDER BY s.account_id, s.chain_id, s.{kind}_id, s.position_id ON CONFLICT DO NOTHING
  $sql$, '{kind}', TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Snapshots have changed or are gone: the holdings of their users there are made from what is stored.
CREATE FUNCTION "refresh_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  keys TEXT := 'SELECT account_id, chain_id, {kind}_id FROM before' ||
    CASE TG_OP WHEN 'UPDATE' THEN ' UNION SELECT account_id, chain_id, {kind}_id FROM after' ELSE '' END;
BEGIN
  EXECUTE replace('DELETE FROM {kind}_holding h USING (' || keys || $sql$) k
    WHERE h.account_id = k.account_id AND h.chain_id = k.chain_id AND h.{kind}_id = k.{kind}_id
  $sql$, '{kind}', TG_ARGV[0]);
  EXECUTE replace('INSERT INTO {kind}_holding SELECT s.* FROM (SELECT DISTINCT * FROM (' || keys || $sql$) k) k
    CROSS JOIN LATERAL (SELECT * FROM {kind}_snapshot s
      WHERE s.account_id = k.account_id AND s.chain_id = k.chain_id AND s.{kind}_id = k.{kind}_id
      ORDER BY timestamp DESC FETCH FIRST ROW WITH TIES) s
  $sql$, '{kind}', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE FUNCTION "remove_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DELETE FROM %I', TG_ARGV[0] || '_holding');
  RETURN NULL;
END $$;

CREATE TRIGGER add_holdings AFTER INSERT ON "market_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "add_holdings"('market');
CREATE TRIGGER refresh_holdings_updated AFTER UPDATE ON "market_snapshot" REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_holdings"('market');
CREATE TRIGGER refresh_holdings_deleted AFTER DELETE ON "market_snapshot" REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_holdings"('market');
CREATE TRIGGER remove_holdings AFTER TRUNCATE ON "market_snapshot"
  FOR EACH STATEMENT EXECUTE FUNCTION "remove_holdings"('market');
CREATE TRIGGER add_holdings AFTER INSERT ON "vault_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "add_holdings"('vault');
CREATE TRIGGER refresh_holdings_updated AFTER UPDATE ON "vault_snapshot" REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_holdings"('vault');
CREATE TRIGGER refresh_holdings_deleted AFTER DELETE ON "vault_snapshot" REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_holdings"('vault');
CREATE TRIGGER remove_holdings AFTER TRUNCATE ON "vault_snapshot"
  FOR EACH STATEMENT EXECUTE FUNCTION "remove_holdings"('vault');
