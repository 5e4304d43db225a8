-- Hooks: who receives which messages, and those that wait. The version of the data does not
-- count these tables: no answer reads them.

CREATE TABLE hook (
  id bigserial PRIMARY KEY,
  url text COLLATE "C" NOT NULL,
  events jsonb NOT NULL,
  chain_ids jsonb,
  secret text COLLATE "C" NOT NULL,
  previous_secret text COLLATE "C",
  previous_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- A role that only serves reads no secrets (src/deploy/roles.sql).
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_reader') THEN
    REVOKE SELECT ON hook FROM gateway_reader;
    GRANT SELECT (id, url, events, chain_ids, created_at) ON hook TO gateway_reader;
  END IF;
END $$;

CREATE TABLE hook_delivery (
  id bigserial PRIMARY KEY,
  hook_id bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL DEFAULT gen_random_uuid(),
  facts jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  tried_since timestamptz(3),
  due_at timestamptz(3),
  dead_at timestamptz(3),
  error text COLLATE "C"
);
CREATE INDEX hook_delivery_hook_id_subject_id_idx ON hook_delivery (hook_id, subject, id);
-- The order in which messages are sent: those that were never tried come first.
CREATE INDEX hook_delivery_due_idx ON hook_delivery (coalesce(due_at, '-infinity'), id) WHERE dead_at IS NULL;

-- The wallets that a hook watches: the value that matters, and whether it was passed when the wallet was
-- last looked at. Null before that.
CREATE TABLE hook_watch (
  hook_id bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  threshold double precision,
  passed boolean,
  PRIMARY KEY (hook_id, event, wallet)
);
CREATE INDEX hook_watch_wallet_event_idx ON hook_watch (wallet, event);

-- Events that a clock has found, so that each is sent once.
CREATE TABLE hook_noted (
  event text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  noted_at timestamptz(3) NOT NULL,
  PRIMARY KEY (event, subject)
);

-- A run of a date that ends is noted for each hook that wants to know, in the transaction that ends
-- it. An import may bring many dates: only the newest one is noted.
CREATE FUNCTION note_run_for_hooks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text := CASE NEW.status WHEN 'succeeded' THEN 'distribution.computed'
    ELSE 'distribution.failed' END;
BEGIN
  IF NEW.kind = 'import' AND NEW.date < (SELECT max(date) FROM distribution) THEN
    RETURN NULL;
  END IF;
  INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
  SELECT id, name, NEW.date::text, jsonb_build_object('date', NEW.date, 'runId', NEW.id::text,
    'kind', NEW.kind, 'requestedBy', NEW.requested_by, 'error', NEW.error,
    'points', NEW.total_points_after / 1000000.0, 'positions', NEW.position_count_after,
    'accounts', NEW.account_count_after), coalesce(NEW.finished_at, clock_timestamp())
  FROM hook WHERE events @> to_jsonb(name) ORDER BY id FOR KEY SHARE;
  RETURN NULL;
END $$;

CREATE TRIGGER note_run_for_hooks AFTER UPDATE ON run FOR EACH ROW
  WHEN (OLD.status = 'running' AND NEW.status <> 'running' AND NEW.date IS NOT NULL)
  EXECUTE FUNCTION note_run_for_hooks();

-- Liquidations of watched wallets are noted in the transaction that stores them, but for those that were
-- before the hook or are on another chain.
CREATE FUNCTION note_liquidations_for_hooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
  SELECT h.id, w.event, w.wallet, jsonb_build_object('wallet', w.wallet, 'chainId', l.chain_id,
    'transaction', l.tx_hash, 'pool', l.pool_address, 'liquidator', l.liquidator,
    'debtRepaidUsd', l.debt_repaid_usd, 'collateralSeizedUsd', l.collateral_seized_usd),
    to_timestamp(l.timestamp)
  FROM added l JOIN hook_watch w ON w.wallet = l.user_address AND w.event = 'wallet.liquidation'
  JOIN hook h ON h.id = w.hook_id AND l.timestamp >= floor(extract(epoch FROM h.created_at))
    AND coalesce(h.chain_ids @> to_jsonb(l.chain_id), true)
  ORDER BY l.timestamp, l.log_index, h.id FOR KEY SHARE OF h;
  RETURN NULL;
END $$;

CREATE TRIGGER note_liquidations_for_hooks AFTER INSERT ON liquidation
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_liquidations_for_hooks();

-- A hook has at most 10,000 messages that wait or were given up. The oldest stay; one more message says
-- how many were dropped.
CREATE FUNCTION bound_hook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  hook bigint;
  dropped bigint;
BEGIN
  FOR hook IN SELECT DISTINCT hook_id FROM added LOOP
    DELETE FROM hook_delivery WHERE id IN (
      SELECT id FROM hook_delivery WHERE hook_id = hook AND event <> 'messages.dropped'
      ORDER BY id OFFSET 10000);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    CONTINUE WHEN dropped = 0;
    UPDATE hook_delivery SET facts = jsonb_build_object('count', (facts->'count')::bigint + dropped)
    WHERE hook_id = hook AND event = 'messages.dropped' AND attempts = 0;
    CONTINUE WHEN FOUND;
    INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
    VALUES (hook, 'messages.dropped', '', jsonb_build_object('count', dropped), clock_timestamp());
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER bound_hook_deliveries AFTER INSERT ON hook_delivery
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION bound_hook_deliveries();

-- A multiplier of dates to come is noted in the transaction that announces it.
CREATE FUNCTION note_rule_for_hooks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chain jsonb := (SELECT to_jsonb(p.chain_id) FROM pool p WHERE p.id = NEW.pool_address);
BEGIN
  INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
  SELECT id, 'rules.announced', NEW.pool_address, jsonb_build_object('pool', NEW.pool_address,
    'from', NEW.from_date, 'changedBy', NEW.changed_by, 'depositA', NEW.deposit_token_a,
    'depositB', NEW.deposit_token_b, 'borrowA', NEW.borrow_token_a, 'borrowB', NEW.borrow_token_b),
    clock_timestamp()
  FROM hook WHERE events @> '"rules.announced"'
    AND coalesce(chain_ids @> chain, true)
  ORDER BY id FOR KEY SHARE;
  RETURN NULL;
END $$;

CREATE TRIGGER note_rule_for_hooks AFTER INSERT ON multiplier_revision FOR EACH ROW
  WHEN (NEW.from_date > (now() AT TIME ZONE 'UTC')::date)
  EXECUTE FUNCTION note_rule_for_hooks();
