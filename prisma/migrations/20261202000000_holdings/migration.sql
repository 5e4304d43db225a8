-- Holdings: the newest snapshots of each user in each market and vault. Triggers keep them, whoever writes.
CREATE TABLE "market_holding" (LIKE "market_snapshot",
  CONSTRAINT "market_holding_pkey" PRIMARY KEY ("account_id", "chain_id", "market_id", "position_id"));
CREATE TABLE "vault_holding" (LIKE "vault_snapshot",
  CONSTRAINT "vault_holding_pkey" PRIMARY KEY ("account_id", "chain_id", "vault_id", "position_id"));

INSERT INTO "market_holding" SELECT s.*
FROM (SELECT "account_id", "chain_id", "market_id", max("timestamp") AS "timestamp" FROM "market_snapshot" GROUP BY 1, 2, 3) newest
JOIN "market_snapshot" s USING ("account_id", "chain_id", "market_id", "timestamp")
ORDER BY s."account_id", s."chain_id", s."market_id", s."position_id";
INSERT INTO "vault_holding" SELECT s.*
FROM (SELECT "account_id", "chain_id", "vault_id", max("timestamp") AS "timestamp" FROM "vault_snapshot" GROUP BY 1, 2, 3) newest
JOIN "vault_snapshot" s USING ("account_id", "chain_id", "vault_id", "timestamp")
ORDER BY s."account_id", s."chain_id", s."vault_id", s."position_id";

-- Refreshes the holdings of the users and entities of the rows in "changed". Its argument is the kind: market or vault.
CREATE FUNCTION "refresh_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  kind TEXT := TG_ARGV[0];
  newest TEXT := format('(SELECT DISTINCT account_id, chain_id, %1$s_id FROM changed) c
    CROSS JOIN LATERAL (SELECT n.timestamp FROM %1$s_snapshot n WHERE n.account_id = c.account_id AND n.chain_id = c.chain_id
      AND n.%1$s_id = c.%1$s_id ORDER BY n.timestamp DESC LIMIT 1) n
    JOIN %1$s_snapshot s ON s.account_id = c.account_id AND s.chain_id = c.chain_id AND s.%1$s_id = c.%1$s_id
      AND s.timestamp = n.timestamp', kind);
BEGIN
  EXECUTE format('DELETE FROM %1$s_holding h USING (SELECT DISTINCT account_id, chain_id, %1$s_id FROM changed) k
    WHERE h.account_id = k.account_id AND h.chain_id = k.chain_id AND h.%1$s_id = k.%1$s_id
      AND NOT EXISTS (SELECT FROM %2$s WHERE c.account_id = h.account_id AND c.chain_id = h.chain_id
        AND c.%1$s_id = h.%1$s_id AND (s.*) IS NOT DISTINCT FROM (h.*))', kind, newest);
  EXECUTE format('INSERT INTO %1$s_holding SELECT s.* FROM %2$s
    ORDER BY s.account_id, s.chain_id, s.%1$s_id, s.position_id ON CONFLICT DO NOTHING', kind, newest);
  RETURN NULL;
END $$;

DO $$
DECLARE
  kind TEXT;
BEGIN
  FOREACH kind IN ARRAY ARRAY['market', 'vault'] LOOP
    EXECUTE format('CREATE TRIGGER refresh_holdings_inserted AFTER INSERT ON %1$s_snapshot REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION refresh_holdings(%1$L)', kind);
    EXECUTE format('CREATE TRIGGER refresh_holdings_updated AFTER UPDATE ON %1$s_snapshot REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION refresh_holdings(%1$L)', kind);
    EXECUTE format('CREATE TRIGGER refresh_holdings_deleted AFTER DELETE ON %1$s_snapshot REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION refresh_holdings(%1$L)', kind);
  END LOOP;
END $$;

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "market_holding"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "vault_holding"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
ANALYZE "market_snapshot", "vault_snapshot", "market_holding", "vault_holding";
