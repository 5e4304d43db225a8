-- What no selection over tables can say, as users of PostGraphile write it: SQL functions.
DROP SCHEMA IF EXISTS speed CASCADE;
CREATE SCHEMA speed;

CREATE FUNCTION speed.latest_market_snapshots(owner text) RETURNS SETOF plain.market_snapshot
LANGUAGE sql STABLE AS $$
  SELECT s.* FROM (
    SELECT DISTINCT ON (chain_id, market_id) chain_id, market_id, timestamp FROM plain.market_snapshot
    WHERE user_address = owner ORDER BY chain_id DESC, market_id DESC, timestamp DESC
  ) n CROSS JOIN LATERAL (
    SELECT * FROM plain.market_snapshot t WHERE t.user_address = owner AND t.chain_id = n.chain_id
      AND t.market_id = n.market_id AND t.timestamp = n.timestamp OFFSET 0
  ) s
  ORDER BY s.chain_id, s.market_id, s.position_id
$$;

CREATE FUNCTION speed.latest_vault_snapshots(owner text) RETURNS SETOF plain.vault_snapshot
LANGUAGE sql STABLE AS $$
  SELECT s.* FROM (
    SELECT DISTINCT ON (chain_id, vault_id) chain_id, vault_id, timestamp FROM plain.vault_snapshot
    WHERE user_address = owner ORDER BY chain_id DESC, vault_id DESC, timestamp DESC
  ) n CROSS JOIN LATERAL (
    SELECT * FROM plain.vault_snapshot t WHERE t.user_address = owner AND t.chain_id = n.chain_id
      AND t.vault_id = n.vault_id AND t.timestamp = n.timestamp OFFSET 0
  ) s
  ORDER BY s.chain_id, s.vault_id, s.position_id
$$;

CREATE FUNCTION speed.holdings(owner text) RETURNS TABLE (chain_id bigint, entity_type text, entity_id text,
  deposit float8, protected float8, debt float8, incomplete boolean, deposit_rate float8, borrow_rate float8)
LANGUAGE sql STABLE AS $$
  SELECT s.chain_id, 'market', s.market_id, coalesce(sum(s.collateral_usd), 0), coalesce(sum(s.protected_usd), 0),
    coalesce(sum(s.debt_usd), 0), bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL),
    coalesce(m.deposit_rate, 0), coalesce(m.borrow_rate, 0)
  FROM speed.latest_market_snapshots(owner) s LEFT JOIN plain.market m ON m.chain_id = s.chain_id AND m.id = s.market_id
  GROUP BY s.chain_id, s.market_id, m.deposit_rate, m.borrow_rate
  UNION ALL
  SELECT s.chain_id, 'vault', s.vault_id, coalesce(sum(s.assets_usd), 0), 0, 0, bool_or(s.assets_usd IS NULL),
    coalesce(v.deposit_rate, 0), 0
  FROM speed.latest_vault_snapshots(owner) s LEFT JOIN plain.vault v ON v.chain_id = s.chain_id AND v.id = s.vault_id
  GROUP BY s.chain_id, s.vault_id, v.deposit_rate
$$;

CREATE FUNCTION speed.net_apr_of(owner text) RETURNS TABLE (chain_id bigint, entity_type text, entity_id text,
  earn_deposit_usd float8, deposit_rate float8, borrow_usd float8, borrow_rate float8)
LANGUAGE sql STABLE AS $$
  SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit, h.deposit_rate, h.debt, h.borrow_rate FROM speed.holdings(owner) h
  ORDER BY round((h.deposit + h.debt) * 1e6) DESC, h.chain_id, h.entity_type, h.entity_id
$$;

CREATE FUNCTION speed.earnings_of(owner text) RETURNS TABLE (chain_id bigint, entity_type text, entity_id text,
  current_value_usd float8, net_cash_invested_usd float8, earnings_usd float8, incomplete boolean)
LANGUAGE sql STABLE AS $$
  SELECT chain_id, entity_type, entity_id, value, cash, value - cash, coalesce(h.incomplete, false) OR coalesce(f.incomplete, false)
  FROM (SELECT *, deposit + protected - debt AS value_now FROM speed.holdings(owner)) h
  FULL JOIN (
    SELECT chain_id, entity_type, entity_id,
      coalesce(sum(CASE WHEN kind IN ('deposit', 'repay') THEN amount_usd ELSE -amount_usd END), 0) AS amount,
      bool_or(amount_usd IS NULL) AS incomplete
    FROM plain.cash_flow WHERE user_address = owner GROUP BY 1, 2, 3
  ) f USING (chain_id, entity_type, entity_id)
  CROSS JOIN LATERAL (SELECT coalesce(value_now, 0) AS value, coalesce(amount, 0) AS cash) v
  ORDER BY round(value * 1e6) DESC, chain_id, entity_type, entity_id
$$;

-- It has no lookup by a list of keys.
CREATE FUNCTION speed.accounts_of(addresses text[]) RETURNS SETOF plain.account
LANGUAGE sql STABLE AS $$
  SELECT * FROM plain.account WHERE user_address = ANY(addresses) ORDER BY user_address
$$;
