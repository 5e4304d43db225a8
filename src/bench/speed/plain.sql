-- What somebody would pick instead: plain tables as the documents' records read, with the same records, the keys and indexes
-- that the endpoints need, and the totals that a leaderboard needs. The floor and PostGraphile read them.
DROP SCHEMA IF EXISTS plain CASCADE;
CREATE SCHEMA plain;

CREATE TABLE plain.pool AS TABLE public.pool;
ALTER TABLE plain.pool ADD PRIMARY KEY (id);
CREATE INDEX ON plain.pool (number, id);

CREATE TABLE plain.multiplier AS TABLE public.multiplier;
ALTER TABLE plain.multiplier ADD PRIMARY KEY (pool_address);

CREATE TABLE plain.market AS TABLE public.market;
ALTER TABLE plain.market ADD PRIMARY KEY (chain_id, id);
CREATE INDEX ON plain.market (id);

CREATE TABLE plain.vault AS TABLE public.vault;
ALTER TABLE plain.vault ADD PRIMARY KEY (chain_id, id);
CREATE INDEX ON plain.vault (id);

-- Points are doubles, as records have them; the product's are in millionths.
CREATE TABLE plain.position AS
SELECT id, user_address, pool_address, distribution_date,
  points_a / 1e6::float8 AS points_a, points_b / 1e6::float8 AS points_b,
  (points_a + points_b) / 1e6::float8 AS points,
  a_token_address, a_token_symbol, a_token_price, a_supplied_amount, a_supplied_amount_usd, a_protected_supplied_amount,
  a_protected_supplied_amount_usd, a_borrowed_amount, a_borrowed_amount_usd,
  b_token_address, b_token_symbol, b_token_price, b_supplied_amount, b_supplied_amount_usd, b_protected_supplied_amount,
  b_protected_supplied_amount_usd, b_borrowed_amount, b_borrowed_amount_usd
FROM public.position
ORDER BY distribution_date, user_address, pool_address;
ALTER TABLE plain.position ADD PRIMARY KEY (id), ADD UNIQUE (user_address, distribution_date, pool_address);
CREATE INDEX ON plain.position (distribution_date);
CREATE INDEX ON plain.position (pool_address, distribution_date DESC, id);
CREATE INDEX ON plain.position (a_token_address, distribution_date DESC, id);
CREATE INDEX ON plain.position (b_token_address, distribution_date DESC, id);

CREATE TABLE plain.account_day AS
SELECT user_address, distribution_date, sum(points::numeric)::float8 AS points FROM plain.position GROUP BY 1, 2 ORDER BY 2, 1;
ALTER TABLE plain.account_day ADD PRIMARY KEY (user_address, distribution_date);

CREATE TABLE plain.account AS
SELECT user_address, points::float8 AS points, row_number() OVER (ORDER BY points DESC, user_address)::int AS rank,
  last_distribution_date
FROM (
  SELECT user_address, sum(points::numeric) AS points, max(distribution_date) AS last_distribution_date
  FROM plain.position GROUP BY 1
) a;
ALTER TABLE plain.account ADD PRIMARY KEY (user_address);
CREATE INDEX ON plain.account (rank);

CREATE TABLE plain.distribution AS
SELECT distribution_date AS date, sum(points::numeric)::float8 AS total_points, count(*)::int AS position_count
FROM plain.position GROUP BY 1;
ALTER TABLE plain.distribution ADD PRIMARY KEY (date);

CREATE TABLE plain.program AS
SELECT 1 AS id, sum(points::numeric)::float8 AS total_points, count(DISTINCT user_address)::int AS account_count FROM plain.position;
ALTER TABLE plain.program ADD PRIMARY KEY (id);

CREATE TABLE plain.market_snapshot AS TABLE public.market_snapshot;
ALTER TABLE plain.market_snapshot ADD PRIMARY KEY (user_address, chain_id, market_id, timestamp, position_id);
CREATE INDEX ON plain.market_snapshot (user_address, timestamp, chain_id, market_id, position_id);
CREATE INDEX ON plain.market_snapshot (market_id, chain_id, timestamp, user_address, position_id);

CREATE TABLE plain.vault_snapshot AS TABLE public.vault_snapshot;
ALTER TABLE plain.vault_snapshot ADD PRIMARY KEY (user_address, chain_id, vault_id, timestamp, position_id);
CREATE INDEX ON plain.vault_snapshot (user_address, timestamp, chain_id, vault_id, position_id);
CREATE INDEX ON plain.vault_snapshot (vault_id, chain_id, timestamp, user_address, position_id);

CREATE TABLE plain.market_liquidation_reward AS TABLE public.market_liquidation_reward;
ALTER TABLE plain.market_liquidation_reward ADD PRIMARY KEY (chain_id, tx_hash, log_index, user_address);
CREATE INDEX ON plain.market_liquidation_reward (user_address, timestamp DESC, log_index DESC, tx_hash, chain_id);

CREATE TABLE plain.vault_liquidation_reward AS TABLE public.vault_liquidation_reward;
ALTER TABLE plain.vault_liquidation_reward ADD PRIMARY KEY (chain_id, tx_hash, log_index, user_address);
CREATE INDEX ON plain.vault_liquidation_reward (user_address, timestamp DESC, log_index DESC, tx_hash, chain_id);

CREATE TABLE plain.cash_flow AS
SELECT chain_id, tx_hash, log_index, user_address, timestamp, entity_type::text, entity_id, kind::text, amount_usd
FROM public.cash_flow;
ALTER TABLE plain.cash_flow ADD PRIMARY KEY (chain_id, tx_hash, log_index, user_address);
CREATE INDEX ON plain.cash_flow (user_address, timestamp DESC, log_index DESC, tx_hash, chain_id);
