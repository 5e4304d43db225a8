-- Snapshots that have come change the holdings of their positions in place. Pages have room for a second version of each row, and
-- no column of the key changes, so neither the index nor another page is written: before, each holding was removed and added.
-- Statements are planned when they run, for what the tables hold by then.
CREATE OR REPLACE FUNCTION "add_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  arrived BIGINT := (SELECT count(*) FROM changed);
  replaced BIGINT;
  newest TEXT := 'SELECT account_id, chain_id, {kind}_id, max(timestamp) AS timestamp FROM changed GROUP BY 1, 2, 3';
  assignments TEXT := (SELECT string_agg(format('%1$I = s.%1$I', attname), ', ') FROM pg_attribute
    WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped
      AND attname NOT IN ('account_id', 'chain_id', TG_ARGV[0] || '_id', 'position_id'));
BEGIN
  IF arrived = 0 THEN
    RETURN NULL;
  END IF;
  EXECUTE replace('UPDATE {kind}_holding h SET ' || assignments || '
    FROM changed s JOIN (' || newest || $sql$) n USING (account_id, chain_id, {kind}_id, timestamp)
    WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id AND h.{kind}_id = s.{kind}_id
      AND h.position_id = s.position_id AND h.timestamp < s.timestamp
  $sql$, '{kind}', TG_ARGV[0]);
  GET DIAGNOSTICS replaced = ROW_COUNT;
  -- Positions that the newest snapshots do not have.
  EXECUTE replace('DELETE FROM {kind}_holding h USING (' || newest || $sql$) n
    WHERE h.account_id = n.account_id AND h.chain_id = n.chain_id AND h.{kind}_id = n.{kind}_id AND h.timestamp < n.timestamp
  $sql$, '{kind}', TG_ARGV[0]);
  IF replaced < arrived THEN
    EXECUTE replace('INSERT INTO {kind}_holding SELECT s.* FROM changed s
      JOIN (' || newest || $sql$) n USING (account_id, chain_id, {kind}_id, timestamp)
      WHERE NOT EXISTS (SELECT FROM {kind}_holding h WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id
        AND h.{kind}_id = s.{kind}_id AND h.timestamp > s.timestamp)
      ORDER BY s.account_id, s.chain_id, s.{kind}_id, s.position_id ON CONFLICT DO NOTHING
    $sql$, '{kind}', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;

DO $$
BEGIN
  -- A Citus cluster has no triggers.
  IF to_regprocedure('data_changed()') IS NULL THEN
    ALTER TABLE "market_holding" SET (fillfactor = 45);
    ALTER TABLE "vault_holding" SET (fillfactor = 45);
    CLUSTER "market_holding" USING "market_holding_pkey";
    CLUSTER "vault_holding" USING "vault_holding_pkey";
  END IF;
END $$;
ANALYZE "market_holding", "vault_holding";
