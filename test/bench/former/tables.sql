-- The tables of positions and snapshots up to version 1.0, with their indexes, and the store's records in them: what the
-- present ones are compared to. They grow date by date.
DROP SCHEMA IF EXISTS former CASCADE;
CREATE SCHEMA former;
SET search_path = former;

CREATE TABLE position (
  id text COLLATE "C" NOT NULL UNIQUE,
  user_address text COLLATE "C" NOT NULL,
  distribution_date date NOT NULL,
  pool_address text COLLATE "C" NOT NULL,
  a_token_address text COLLATE "C" NOT NULL,
  a_token_symbol text COLLATE "C" NOT NULL,
  a_token_price float8 NOT NULL,
  a_supplied_amount float8 NOT NULL,
  a_supplied_amount_usd float8 NOT NULL,
  a_protected_supplied_amount float8 NOT NULL,
  a_protected_supplied_amount_usd float8 NOT NULL,
  a_borrowed_amount float8 NOT NULL,
  a_borrowed_amount_usd float8 NOT NULL,
  b_token_address text COLLATE "C" NOT NULL,
  b_token_symbol text COLLATE "C" NOT NULL,
  b_token_price float8 NOT NULL,
  b_supplied_amount float8 NOT NULL,
  b_supplied_amount_usd float8 NOT NULL,
  b_protected_supplied_amount float8 NOT NULL,
  b_protected_supplied_amount_usd float8 NOT NULL,
  b_borrowed_amount float8 NOT NULL,
  b_borrowed_amount_usd float8 NOT NULL,
  PRIMARY KEY (user_address, distribution_date, pool_address)
);
CREATE INDEX ON position (distribution_date DESC, id);
CREATE INDEX ON position (pool_address, distribution_date DESC, id);
CREATE INDEX ON position (a_token_address, distribution_date DESC, id);
CREATE INDEX ON position (b_token_address, distribution_date DESC, id);
CREATE INDEX position_coverage_idx ON position (pool_address, distribution_date, ((
    CASE WHEN b_borrowed_amount_usd > 0 THEN a_supplied_amount_usd::numeric + a_protected_supplied_amount_usd::numeric ELSE 0 END
    + CASE WHEN a_borrowed_amount_usd > 0 THEN b_supplied_amount_usd::numeric + b_protected_supplied_amount_usd::numeric ELSE 0 END
  ) / (greatest(a_borrowed_amount_usd, 0)::numeric + greatest(b_borrowed_amount_usd, 0)::numeric)))
  WHERE a_borrowed_amount_usd > 0 OR b_borrowed_amount_usd > 0;

CREATE TABLE position_points (
  distribution_date date NOT NULL,
  user_address text COLLATE "C" NOT NULL,
  pool_address text COLLATE "C" NOT NULL,
  points_a bigint NOT NULL,
  points_b bigint NOT NULL,
  run_id bigint,
  given boolean NOT NULL,
  PRIMARY KEY (distribution_date, user_address, pool_address)
) WITH (fillfactor = 50);

CREATE TABLE market_snapshot (
  user_address text COLLATE "C" NOT NULL,
  chain_id bigint NOT NULL,
  market_id text COLLATE "C" NOT NULL,
  timestamp bigint NOT NULL,
  position_id text COLLATE "C" NOT NULL,
  collateral_assets numeric(78, 0) NOT NULL,
  collateral_usd float8,
  protected_assets numeric(78, 0) NOT NULL,
  protected_usd float8,
  debt_assets numeric(78, 0) NOT NULL,
  debt_usd float8,
  PRIMARY KEY (user_address, chain_id, market_id, timestamp, position_id)
);
CREATE INDEX ON market_snapshot (user_address, timestamp, chain_id, market_id, position_id);
CREATE INDEX ON market_snapshot (market_id, chain_id, timestamp, user_address, position_id);

CREATE TABLE vault_snapshot (
  user_address text COLLATE "C" NOT NULL,
  chain_id bigint NOT NULL,
  vault_id text COLLATE "C" NOT NULL,
  timestamp bigint NOT NULL,
  position_id text COLLATE "C" NOT NULL,
  shares numeric(78, 0) NOT NULL,
  assets numeric(78, 0) NOT NULL,
  assets_usd float8,
  PRIMARY KEY (user_address, chain_id, vault_id, timestamp, position_id)
);
CREATE INDEX ON vault_snapshot (user_address, timestamp, chain_id, vault_id, position_id);
CREATE INDEX ON vault_snapshot (vault_id, chain_id, timestamp, user_address, position_id);

-- Snapshots keep the order in which the store got them.
SET max_parallel_workers_per_gather = 0;
SET synchronize_seqscans = off;
DO $$
DECLARE
  day date;
BEGIN
  FOR day IN SELECT date FROM public.distribution ORDER BY 1 LOOP
    INSERT INTO position SELECT id, user_address, distribution_date, pool_address,
      a_token_address, a_token_symbol, a_token_price, a_supplied_amount, a_supplied_amount_usd, a_protected_supplied_amount,
      a_protected_supplied_amount_usd, a_borrowed_amount, a_borrowed_amount_usd,
      b_token_address, b_token_symbol, b_token_price, b_supplied_amount, b_supplied_amount_usd, b_protected_supplied_amount,
      b_protected_supplied_amount_usd, b_borrowed_amount, b_borrowed_amount_usd
    FROM public.position WHERE distribution_date = day ORDER BY user_address, pool_address;
    INSERT INTO position_points SELECT distribution_date, user_address, pool_address, points_a, points_b, run_id, given
    FROM public.position WHERE distribution_date = day ORDER BY user_address, pool_address;
  END LOOP;
END
$$;
INSERT INTO market_snapshot SELECT user_address, chain_id, market_id, timestamp, position_id, collateral_assets,
  collateral_usd, protected_assets, protected_usd, debt_assets, debt_usd FROM public.market_snapshot;
INSERT INTO vault_snapshot SELECT user_address, chain_id, vault_id, timestamp, position_id, shares, assets, assets_usd
FROM public.vault_snapshot;
