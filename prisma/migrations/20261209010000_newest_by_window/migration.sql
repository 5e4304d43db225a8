-- The newest of the snapshots that have come are found by a window, not by a second join: the planner expects about as many rows as
-- there are, and joins many of them with the holdings by hashes instead of one look-up each.
CREATE OR REPLACE FUNCTION "add_holdings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  arrived BIGINT := (SELECT count(*) FROM changed);
  replaced BIGINT;
  names TEXT[] := (SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped);
  columns TEXT := (SELECT string_agg(quote_ident(name), ', ') FROM unnest(names) name);
  assignments TEXT := (SELECT string_agg(format('%1$I = s.%1$I', name), ', ') FROM unnest(names) name
    WHERE name NOT IN ('account_id', 'chain_id', TG_ARGV[0] || '_id', 'position_id'));
  newest TEXT := '(SELECT * FROM (SELECT *, max(timestamp) OVER (PARTITION BY account_id, chain_id, {kind}_id) AS newest FROM changed) c
    WHERE timestamp >= newest) s';
BEGIN
  IF arrived = 0 THEN
    RETURN NULL;
  END IF;
  EXECUTE replace('UPDATE {kind}_holding h SET ' || assignments || ' FROM ' || newest || $sql$
    WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id AND h.{kind}_id = s.{kind}_id
      AND h.position_id = s.position_id AND h.timestamp < s.timestamp
  $sql$, '{kind}', TG_ARGV[0]);
  GET DIAGNOSTICS replaced = ROW_COUNT;
  -- Positions that the newest snapshots do not have.
  EXECUTE replace($sql$DELETE FROM {kind}_holding h USING changed s
    WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id AND h.{kind}_id = s.{kind}_id AND h.timestamp < s.timestamp
  $sql$, '{kind}', TG_ARGV[0]);
  IF replaced < arrived THEN
    EXECUTE replace('INSERT INTO {kind}_holding (' || columns || ') SELECT ' || columns || ' FROM ' || newest || $sql$
      WHERE NOT EXISTS (SELECT FROM {kind}_holding h WHERE h.account_id = s.account_id AND h.chain_id = s.chain_id
        AND h.{kind}_id = s.{kind}_id AND h.timestamp > s.timestamp)
      ORDER BY account_id, chain_id, {kind}_id, position_id ON CONFLICT DO NOTHING
    $sql$, '{kind}', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
