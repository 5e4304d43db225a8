-- Holdings: the newest snapshots of each user in each market and vault. Triggers keep them, whoever writes. They EXECUTE their
-- statements, so that each call is planned for what the tables hold by then.
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

-- Snapshots of a market have come: the newest ones replace older holdings.
CREATE FUNCTION "add_market_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  END IF;
  EXECUTE $sql$INSERT INTO "market_holding" ("account_id", "chain_id", "market_id", "timestamp", "position_id", "collateral_assets", "collateral_usd", "protected_assets", "protected_usd", "debt_assets", "debt_usd")
  SELECT "account_id", "chain_id", "market_id", "timestamp", "position_id", "collateral_assets", "collateral_usd", "protected_assets", "protected_usd", "debt_assets", "debt_usd"
  FROM (SELECT *, max("timestamp") OVER (PARTITION BY "account_id", "chain_id", "market_id") AS newest FROM changed) s
  WHERE "timestamp" = newest AND NOT EXISTS (SELECT FROM "market_holding" h WHERE h."account_id" = s."account_id" AND h."chain_id" = s."chain_id" AND h."market_id" = s."market_id"
    AND h."timestamp" > s."timestamp")
  ORDER BY s."account_id", s."chain_id", s."market_id", s."position_id"
  ON CONFLICT ("account_id", "chain_id", "market_id", "position_id") DO UPDATE SET "timestamp" = excluded."timestamp", "collateral_assets" = excluded."collateral_assets", "collateral_usd" = excluded."collateral_usd", "protected_assets" = excluded."protected_assets", "protected_usd" = excluded."protected_usd", "debt_assets" = excluded."debt_assets", "debt_usd" = excluded."debt_usd"$sql$;
  EXECUTE $sql$DELETE FROM "market_holding" h
  USING (SELECT "account_id", "chain_id", "market_id", max("timestamp") AS "timestamp" FROM changed GROUP BY 1, 2, 3) n
  WHERE h."account_id" = n."account_id" AND h."chain_id" = n."chain_id" AND h."market_id" = n."market_id" AND h."timestamp" < n."timestamp"$sql$;
  RETURN NULL;
END $$;

-- Snapshots of a market have changed or are gone: the holdings of their users are made from what is stored.
CREATE FUNCTION "refresh_market_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  END IF;
  EXECUTE $sql$DELETE FROM "market_holding" h USING (SELECT DISTINCT "account_id", "chain_id", "market_id" FROM changed) k WHERE h."account_id" = k."account_id" AND h."chain_id" = k."chain_id" AND h."market_id" = k."market_id"$sql$;
  EXECUTE $sql$INSERT INTO "market_holding" SELECT s.* FROM (SELECT DISTINCT "account_id", "chain_id", "market_id" FROM changed) k
  CROSS JOIN LATERAL (SELECT * FROM "market_snapshot" s WHERE s."account_id" = k."account_id" AND s."chain_id" = k."chain_id" AND s."market_id" = k."market_id"
    AND s."timestamp" = (SELECT max(n."timestamp") FROM "market_snapshot" n WHERE n."account_id" = k."account_id" AND n."chain_id" = k."chain_id" AND n."market_id" = k."market_id")) s$sql$;
  RETURN NULL;
END $$;

CREATE TRIGGER add_holdings AFTER INSERT ON "market_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "add_market_holdings"();
CREATE TRIGGER refresh_holdings_updated AFTER UPDATE ON "market_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_market_holdings"();
CREATE TRIGGER refresh_holdings_deleted AFTER DELETE ON "market_snapshot" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_market_holdings"();

-- Snapshots of a vault have come: the newest ones replace older holdings.
CREATE FUNCTION "add_vault_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  END IF;
  EXECUTE $sql$INSERT INTO "vault_holding" ("account_id", "chain_id", "vault_id", "timestamp", "position_id", "shares", "assets", "assets_usd")
  SELECT "account_id", "chain_id", "vault_id", "timestamp", "position_id", "shares", "assets", "assets_usd"
  FROM (SELECT *, max("timestamp") OVER (PARTITION BY "account_id", "chain_id", "vault_id") AS newest FROM changed) s
  WHERE "timestamp" = newest AND NOT EXISTS (SELECT FROM "vault_holding" h WHERE h."account_id" = s."account_id" AND h."chain_id" = s."chain_id" AND h."vault_id" = s."vault_id"
    AND h."timestamp" > s."timestamp")
  ORDER BY s."account_id", s."chain_id", s."vault_id", s."position_id"
  ON CONFLICT ("account_id", "chain_id", "vault_id", "position_id") DO UPDATE SET "timestamp" = excluded."timestamp", "shares" = excluded."shares", "assets" = excluded."assets", "assets_usd" = excluded."assets_usd"$sql$;
  EXECUTE $sql$DELETE FROM "vault_holding" h
  USING (SELECT "account_id", "chain_id", "vault_id", max("timestamp") AS "timestamp" FROM changed GROUP BY 1, 2, 3) n
  WHERE h."account_id" = n."account_id" AND h."chain_id" = n."chain_id" AND h."vault_id" = n."vault_id" AND h."timestamp" < n."timestamp"$sql$;
  RETURN NULL;
END $$;

-- Snapshots of a vault have changed or are gone: the holdings of their users are made from what is stored.
CREATE FUNCTION "refresh_vault_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  END IF;
  EXECUTE $sql$DELETE FROM "vault_holding" h USING (SELECT DISTINCT "account_id", "chain_id", "vault_id" FROM changed) k WHERE h."account_id" = k."account_id" AND h."chain_id" = k."chain_id" AND h."vault_id" = k."vault_id"$sql$;
  EXECUTE $sql$INSERT INTO "vault_holding" SELECT s.* FROM (SELECT DISTINCT "account_id", "chain_id", "vault_id" FROM changed) k
  CROSS JOIN LATERAL (SELECT * FROM "vault_snapshot" s WHERE s."account_id" = k."account_id" AND s."chain_id" = k."chain_id" AND s."vault_id" = k."vault_id"
    AND s."timestamp" = (SELECT max(n."timestamp") FROM "vault_snapshot" n WHERE n."account_id" = k."account_id" AND n."chain_id" = k."chain_id" AND n."vault_id" = k."vault_id")) s$sql$;
  RETURN NULL;
END $$;

CREATE TRIGGER add_holdings AFTER INSERT ON "vault_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "add_vault_holdings"();
CREATE TRIGGER refresh_holdings_updated AFTER UPDATE ON "vault_snapshot" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_vault_holdings"();
CREATE TRIGGER refresh_holdings_deleted AFTER DELETE ON "vault_snapshot" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "refresh_vault_holdings"();

CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "market_holding"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
CREATE TRIGGER raise_data_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "vault_holding"
  FOR EACH STATEMENT EXECUTE FUNCTION raise_data_version();
ANALYZE "market_snapshot", "vault_snapshot", "market_holding", "vault_holding";
