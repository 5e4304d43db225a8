-- What the program sent for a request when the tables were the former ones. Before each statement: the operation's name, and
-- its values, a text or the name of one of the operation's parameters after a $.

-- GET /v1/users/{address}/earnings: ["$address",null]
SELECT x2."totalEarningsUsd", x2."totalCurrentValueUsd", x2."totalNetCashInvestedUsd", x2."hasIncompletePrices", x4.total, x5.n, x5."chainId", x5."entityId", CASE x5."entityType" WHEN 'market' THEN '"MARKET"' WHEN 'vault' THEN '"VAULT"' END, x5."currentValueUsd", x5."netCashInvestedUsd", x5."earningsUsd", x5."hasIncompletePrices" FROM (SELECT) r LEFT JOIN LATERAL (SELECT u.address AS "address", m.snapshots AS "latestMarkets", v.snapshots AS "latestVaults" FROM (SELECT $1::text AS address) u LEFT JOIN account t ON t.user_address = u.address
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.market_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM market_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.market_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) m ON true
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.vault_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM vault_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.vault_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) v ON true) x1 ON true LEFT JOIN LATERAL (SELECT e."totalEarningsUsd" AS "totalEarningsUsd", e."totalCurrentValueUsd" AS "totalCurrentValueUsd", e."totalNetCashInvestedUsd" AS "totalNetCashInvestedUsd", e."hasIncompletePrices" AS "hasIncompletePrices", e."entities" AS "entities", e."entityCount" AS "entityCount" FROM (SELECT $2::bigint AS id) chain CROSS JOIN LATERAL (SELECT ((coalesce(sum((t.current_value_usd)::text::numeric), 0)::float8)::text::numeric - (coalesce(sum((t.net_cash_invested_usd)::text::numeric), 0)::float8)::text::numeric)::float8 AS "totalEarningsUsd", coalesce(sum((t.current_value_usd)::text::numeric), 0)::float8 AS "totalCurrentValueUsd", coalesce(sum((t.net_cash_invested_usd)::text::numeric), 0)::float8 AS "totalNetCashInvestedUsd", coalesce(bool_or(t.incomplete), false) AS "hasIncompletePrices", count(*)::int AS "entityCount", array_agg(t) AS "entities" FROM (
SELECT b.chain_id, b.entity_type, b.entity_id, sum(b.value)::float8 AS current_value_usd,
sum(b.cash)::float8 AS net_cash_invested_usd,
((sum(b.value)::float8)::text::numeric - (sum(b.cash)::float8)::text::numeric)::float8 AS earnings_usd,
bool_or(b.incomplete) AS incomplete, floor((sum(b.value)) * 1e6 + 0.5)::float8 AS sort_value
FROM (
SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd + h.protected_usd - h.debt_usd AS value,
0::numeric AS cash, h.incomplete FROM (SELECT s.chain_id, 'market' AS entity_type, s.market_id AS entity_id, coalesce(sum((s.collateral_usd)::text::numeric), 0) AS deposit_usd,
coalesce(sum((s.protected_usd)::text::numeric), 0) AS protected_usd, coalesce(sum((s.debt_usd)::text::numeric), 0) AS debt_usd,
bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete
FROM unnest(x1."latestMarkets") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.market_id
UNION ALL
SELECT s.chain_id, 'vault', s.vault_id, coalesce(sum((s.assets_usd)::text::numeric), 0), 0, 0, bool_or(s.assets_usd IS NULL)
FROM unnest(x1."latestVaults") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.vault_id) h
UNION ALL
SELECT f.chain_id, f.entity_type::text, f.entity_id, 0,
coalesce(sum((CASE WHEN f.kind IN ('deposit', 'repay') THEN f.amount_usd ELSE -f.amount_usd END)::text::numeric), 0), bool_or(f.amount_usd IS NULL)
FROM (SELECT x1."address" AS address) owner CROSS JOIN LATERAL (SELECT * FROM cash_flow f WHERE f.user_address = owner.address
AND (chain.id IS NULL OR f.chain_id = chain.id)  OFFSET 0) f
GROUP BY f.chain_id, f.entity_type, f.entity_id
) b GROUP BY b.chain_id, b.entity_type, b.entity_id
) t) e) x2 ON true LEFT JOIN LATERAL (SELECT x2."entityCount" AS total) x4 ON true LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.chain_id AS "chainId", t.entity_id AS "entityId", t.entity_type AS "entityType", t.current_value_usd AS "currentValueUsd", t.net_cash_invested_usd AS "netCashInvestedUsd", t.earnings_usd AS "earningsUsd", t.incomplete AS "hasIncompletePrices" FROM unnest(x2."entities") AS t(chain_id bigint, entity_type text, entity_id text, current_value_usd float8, net_cash_invested_usd float8,
earnings_usd float8, incomplete boolean, sort_value float8)
ORDER BY t.sort_value DESC, t.chain_id ASC, t.entity_type ASC, t.entity_id ASC LIMIT 101 ) p) x5 ON true
ORDER BY x5.n

-- GET /v1/users/{address}/net-apr: ["$address",null]
SELECT x2."earnNetApr", x2."borrowNetApr", x2."totalEarnDepositsUsd", x2."totalBorrowUsd", x4.total, x5.n, x5."chainId", x5."entityId", CASE x5."entityType" WHEN 'market' THEN '"MARKET"' WHEN 'vault' THEN '"VAULT"' END, x5."depositUsd", x5."depositRate", x5."debtUsd", x5."borrowRate" FROM (SELECT) r LEFT JOIN LATERAL (SELECT u.address AS "address", m.snapshots AS "latestMarkets", v.snapshots AS "latestVaults" FROM (SELECT $1::text AS address) u LEFT JOIN account t ON t.user_address = u.address
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.market_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM market_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.market_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) m ON true
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.vault_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM vault_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.vault_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) v ON true) x1 ON true LEFT JOIN LATERAL (SELECT e."earnNetApr" AS "earnNetApr", e."borrowNetApr" AS "borrowNetApr", e."totalEarnDepositsUsd" AS "totalEarnDepositsUsd", e."totalBorrowUsd" AS "totalBorrowUsd", e."entities" AS "entities", e."entityCount" AS "entityCount" FROM (SELECT $2::bigint AS id) chain CROSS JOIN LATERAL (SELECT CASE WHEN coalesce(sum((t.deposit_usd)::text::numeric), 0) = 0 THEN 0 ELSE sum((t.deposit_usd)::text::numeric * (t.deposit_rate)::text::numeric) / coalesce(sum((t.deposit_usd)::text::numeric), 0) END::float8 AS "earnNetApr", CASE WHEN coalesce(sum((t.debt_usd)::text::numeric), 0) = 0 THEN 0 ELSE sum((t.debt_usd)::text::numeric * (t.borrow_rate)::text::numeric) / coalesce(sum((t.debt_usd)::text::numeric), 0) END::float8 AS "borrowNetApr", coalesce(sum((t.deposit_usd)::text::numeric), 0)::float8 AS "totalEarnDepositsUsd", coalesce(sum((t.protected_usd)::text::numeric), 0)::float8 AS "totalProtectedUsd", coalesce(sum((t.debt_usd)::text::numeric), 0)::float8 AS "totalBorrowUsd", count(*)::int AS "entityCount", array_agg(t) AS "entities" FROM (
SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd::float8, h.protected_usd::float8, h.debt_usd::float8,
coalesce(m.deposit_rate, v.deposit_rate, 0) AS deposit_rate, coalesce(m.borrow_rate, 0) AS borrow_rate,
floor((h.deposit_usd + h.debt_usd) * 1e6 + 0.5)::float8 AS sort_value
FROM (SELECT s.chain_id, 'market' AS entity_type, s.market_id AS entity_id, coalesce(sum((s.collateral_usd)::text::numeric), 0) AS deposit_usd,
coalesce(sum((s.protected_usd)::text::numeric), 0) AS protected_usd, coalesce(sum((s.debt_usd)::text::numeric), 0) AS debt_usd,
bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete
FROM unnest(x1."latestMarkets") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.market_id
UNION ALL
SELECT s.chain_id, 'vault', s.vault_id, coalesce(sum((s.assets_usd)::text::numeric), 0), 0, 0, bool_or(s.assets_usd IS NULL)
FROM unnest(x1."latestVaults") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.vault_id) h
LEFT JOIN market m ON h.entity_type = 'market' AND m.chain_id = h.chain_id AND m.id = h.entity_id
LEFT JOIN vault v ON h.entity_type = 'vault' AND v.chain_id = h.chain_id AND v.id = h.entity_id
) t) e) x2 ON true LEFT JOIN LATERAL (SELECT x2."entityCount" AS total) x4 ON true LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.chain_id AS "chainId", t.entity_id AS "entityId", t.entity_type AS "entityType", t.deposit_usd AS "depositUsd", t.deposit_rate AS "depositRate", t.debt_usd AS "debtUsd", t.borrow_rate AS "borrowRate" FROM unnest(x2."entities") AS t(chain_id bigint, entity_type text, entity_id text, deposit_usd float8, protected_usd float8, debt_usd float8,
deposit_rate float8, borrow_rate float8, sort_value float8)
ORDER BY t.sort_value DESC, t.chain_id ASC, t.entity_type ASC, t.entity_id ASC LIMIT 101 ) p) x5 ON true
ORDER BY x5.n

-- graphql a user's page: ["$address",null,null,null,null,null,null]
SELECT x1."points", x1."rank", x2."totalEarningsUsd", x2."totalCurrentValueUsd", x2."totalNetCashInvestedUsd", x2."hasIncompletePrices", coalesce(x3.items, ''), x5."earnNetApr", x5."borrowNetApr", x5."totalEarnDepositsUsd", x5."totalBorrowUsd", concat_ws(',', x6.items,x9.items), coalesce(x12.items, ''), coalesce(x14.items, '') FROM (SELECT) r LEFT JOIN LATERAL (SELECT trim_scale((coalesce(t.points, 0)) * 0.000001) AS "points", t.rank AS "rank", u.address AS "address", m.snapshots AS "latestMarkets", v.snapshots AS "latestVaults" FROM (SELECT $1::text AS address) u LEFT JOIN account t ON t.user_address = u.address
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.market_id AS entity_id, s.timestamp FROM market_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.market_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.market_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM market_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.market_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) m ON true
LEFT JOIN LATERAL (WITH RECURSIVE newest AS (
SELECT owner.address, first.* FROM (SELECT u.address AS address) owner CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s WHERE s.user_address = owner.address ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) first
UNION ALL
SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
SELECT s.chain_id, s.vault_id AS entity_id, s.timestamp FROM vault_snapshot s
WHERE s.user_address = n.address AND (s.chain_id, s.vault_id) < (n.chain_id, n.entity_id) ORDER BY s.chain_id DESC, s.vault_id DESC, s.timestamp DESC LIMIT 1) next
)
SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
SELECT s AS snapshot FROM vault_snapshot s WHERE s.user_address = n.address AND s.chain_id = n.chain_id
AND s.vault_id = n.entity_id AND s.timestamp = n.timestamp OFFSET 0) found) v ON true) x1 ON true LEFT JOIN LATERAL (SELECT e."totalEarningsUsd" AS "totalEarningsUsd", e."totalCurrentValueUsd" AS "totalCurrentValueUsd", e."totalNetCashInvestedUsd" AS "totalNetCashInvestedUsd", e."hasIncompletePrices" AS "hasIncompletePrices", e."entities" AS "entities" FROM (SELECT $2::bigint AS id) chain CROSS JOIN LATERAL (SELECT ((coalesce(sum((t.current_value_usd)::text::numeric), 0)::float8)::text::numeric - (coalesce(sum((t.net_cash_invested_usd)::text::numeric), 0)::float8)::text::numeric)::float8 AS "totalEarningsUsd", coalesce(sum((t.current_value_usd)::text::numeric), 0)::float8 AS "totalCurrentValueUsd", coalesce(sum((t.net_cash_invested_usd)::text::numeric), 0)::float8 AS "totalNetCashInvestedUsd", coalesce(bool_or(t.incomplete), false) AS "hasIncompletePrices", count(*)::int AS "entityCount", array_agg(t) AS "entities" FROM (
SELECT b.chain_id, b.entity_type, b.entity_id, sum(b.value)::float8 AS current_value_usd,
sum(b.cash)::float8 AS net_cash_invested_usd,
((sum(b.value)::float8)::text::numeric - (sum(b.cash)::float8)::text::numeric)::float8 AS earnings_usd,
bool_or(b.incomplete) AS incomplete, floor((sum(b.value)) * 1e6 + 0.5)::float8 AS sort_value
FROM (
SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd + h.protected_usd - h.debt_usd AS value,
0::numeric AS cash, h.incomplete FROM (SELECT s.chain_id, 'market' AS entity_type, s.market_id AS entity_id, coalesce(sum((s.collateral_usd)::text::numeric), 0) AS deposit_usd,
coalesce(sum((s.protected_usd)::text::numeric), 0) AS protected_usd, coalesce(sum((s.debt_usd)::text::numeric), 0) AS debt_usd,
bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete
FROM unnest(x1."latestMarkets") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.market_id
UNION ALL
SELECT s.chain_id, 'vault', s.vault_id, coalesce(sum((s.assets_usd)::text::numeric), 0), 0, 0, bool_or(s.assets_usd IS NULL)
FROM unnest(x1."latestVaults") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.vault_id) h
UNION ALL
SELECT f.chain_id, f.entity_type::text, f.entity_id, 0,
coalesce(sum((CASE WHEN f.kind IN ('deposit', 'repay') THEN f.amount_usd ELSE -f.amount_usd END)::text::numeric), 0), bool_or(f.amount_usd IS NULL)
FROM (SELECT x1."address" AS address) owner CROSS JOIN LATERAL (SELECT * FROM cash_flow f WHERE f.user_address = owner.address
AND (chain.id IS NULL OR f.chain_id = chain.id)  OFFSET 0) f
GROUP BY f.chain_id, f.entity_type, f.entity_id
) b GROUP BY b.chain_id, b.entity_type, b.entity_id
) t) e) x2 ON true LEFT JOIN LATERAL (SELECT string_agg(concat('{"entityType":', coalesce((CASE x4."entityType" WHEN 'market' THEN '"MARKET"' WHEN 'vault' THEN '"VAULT"' END)::text, 'null'), ',"chainId":', coalesce((x4."chainId")::text, 'null'), ',"entityAddress":', coalesce('"' || x4."entityId" || '"', 'null'), ',"currentValueUsd":', coalesce((x4."currentValueUsd")::text, 'null'), ',"earningsUsd":', coalesce((x4."earningsUsd")::text, 'null'), '}'), ',' ORDER BY x4.n)  AS items
FROM (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.entity_type AS "entityType", t.chain_id AS "chainId", t.entity_id AS "entityId", t.current_value_usd AS "currentValueUsd", t.earnings_usd AS "earningsUsd" FROM unnest(x2."entities") AS t(chain_id bigint, entity_type text, entity_id text, current_value_usd float8, net_cash_invested_usd float8,
earnings_usd float8, incomplete boolean, sort_value float8)
ORDER BY t.sort_value DESC, t.chain_id ASC, t.entity_type ASC, t.entity_id ASC LIMIT 100 ) p) x4 ) x3 ON true LEFT JOIN LATERAL (SELECT e."earnNetApr" AS "earnNetApr", e."borrowNetApr" AS "borrowNetApr", e."totalEarnDepositsUsd" AS "totalEarnDepositsUsd", e."totalBorrowUsd" AS "totalBorrowUsd" FROM (SELECT $3::bigint AS id) chain CROSS JOIN LATERAL (SELECT CASE WHEN coalesce(sum((t.deposit_usd)::text::numeric), 0) = 0 THEN 0 ELSE sum((t.deposit_usd)::text::numeric * (t.deposit_rate)::text::numeric) / coalesce(sum((t.deposit_usd)::text::numeric), 0) END::float8 AS "earnNetApr", CASE WHEN coalesce(sum((t.debt_usd)::text::numeric), 0) = 0 THEN 0 ELSE sum((t.debt_usd)::text::numeric * (t.borrow_rate)::text::numeric) / coalesce(sum((t.debt_usd)::text::numeric), 0) END::float8 AS "borrowNetApr", coalesce(sum((t.deposit_usd)::text::numeric), 0)::float8 AS "totalEarnDepositsUsd", coalesce(sum((t.protected_usd)::text::numeric), 0)::float8 AS "totalProtectedUsd", coalesce(sum((t.debt_usd)::text::numeric), 0)::float8 AS "totalBorrowUsd", count(*)::int AS "entityCount", array_agg(t) AS "entities" FROM (
SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd::float8, h.protected_usd::float8, h.debt_usd::float8,
coalesce(m.deposit_rate, v.deposit_rate, 0) AS deposit_rate, coalesce(m.borrow_rate, 0) AS borrow_rate,
floor((h.deposit_usd + h.debt_usd) * 1e6 + 0.5)::float8 AS sort_value
FROM (SELECT s.chain_id, 'market' AS entity_type, s.market_id AS entity_id, coalesce(sum((s.collateral_usd)::text::numeric), 0) AS deposit_usd,
coalesce(sum((s.protected_usd)::text::numeric), 0) AS protected_usd, coalesce(sum((s.debt_usd)::text::numeric), 0) AS debt_usd,
bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete
FROM unnest(x1."latestMarkets") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.market_id
UNION ALL
SELECT s.chain_id, 'vault', s.vault_id, coalesce(sum((s.assets_usd)::text::numeric), 0), 0, 0, bool_or(s.assets_usd IS NULL)
FROM unnest(x1."latestVaults") s WHERE (chain.id IS NULL OR s.chain_id = chain.id) GROUP BY s.chain_id, s.vault_id) h
LEFT JOIN market m ON h.entity_type = 'market' AND m.chain_id = h.chain_id AND m.id = h.entity_id
LEFT JOIN vault v ON h.entity_type = 'vault' AND v.chain_id = h.chain_id AND v.id = h.entity_id
) t) e) x5 ON true LEFT JOIN LATERAL (SELECT string_agg(concat('{"timestamp":', coalesce('"' || x7."timestamp" || '"', 'null'), ',"collateralUsd":', coalesce((x7."collateralUsd")::text, 'null'), ',"debtUsd":', coalesce((x7."debtUsd")::text, 'null'), ',"market":', CASE WHEN x8."chainId" IS NULL THEN 'null' ELSE concat('{"assetSymbol":', coalesce(to_json(x8."assetSymbol")::text, 'null'), '}') END, '}'), ',' ORDER BY x7.n)  AS items
FROM (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.timestamp AS "timestamp", t.collateral_usd AS "collateralUsd", t.debt_usd AS "debtUsd", t.chain_id AS "chainId", t.market_id AS "marketId" FROM unnest(x1."latestMarkets") t WHERE ($4::bigint IS NULL OR t.chain_id = $5::bigint)
ORDER BY t.chain_id, t.market_id, t.position_id) p) x7 LEFT JOIN LATERAL (SELECT t.asset_symbol AS "assetSymbol", t.chain_id AS "chainId" FROM market t LEFT JOIN pool ON pool.id = t.pool_id AND pool.chain_id = t.chain_id
LEFT JOIN pool_day d ON d.pool_address = pool.id AND d.distribution_date = (SELECT max(date) FROM distribution) WHERE t.chain_id = x7."chainId" AND t.id = x7."marketId") x8 ON true) x6 ON true LEFT JOIN LATERAL (SELECT string_agg(concat('{"timestamp":', coalesce('"' || x10."timestamp" || '"', 'null'), ',"assetsUsd":', coalesce((x10."assetsUsd")::text, 'null'), ',"vault":', CASE WHEN x11."chainId" IS NULL THEN 'null' ELSE concat('{"name":', coalesce(to_json(x11."name")::text, 'null'), '}') END, '}'), ',' ORDER BY x10.n)  AS items
FROM (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.timestamp AS "timestamp", t.assets_usd AS "assetsUsd", t.chain_id AS "chainId", t.vault_id AS "vaultId" FROM unnest(x1."latestVaults") t WHERE ($6::bigint IS NULL OR t.chain_id = $7::bigint)
ORDER BY t.chain_id, t.vault_id, t.position_id) p) x10 LEFT JOIN LATERAL (SELECT t.name AS "name", t.chain_id AS "chainId" FROM vault t WHERE t.chain_id = x10."chainId" AND t.id = x10."vaultId") x11 ON true) x9 ON true LEFT JOIN LATERAL (SELECT string_agg(concat('{"txHash":', coalesce(to_json(x13."txHash")::text, 'null'), ',"liquidRewardUsd":', coalesce((x13."liquidRewardUsd")::text, 'null'), ',"claimedTimestamp":', coalesce('"' || x13."claimedTimestamp" || '"', 'null'), '}'), ',' ORDER BY x13.n)  AS items
FROM (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.tx_hash AS "txHash", t.liquid_reward_usd AS "liquidRewardUsd", t.claimed_timestamp AS "claimedTimestamp" FROM market_liquidation_reward t
WHERE t.user_address = x1."address"
ORDER BY t.timestamp DESC, t.log_index DESC, t.tx_hash ASC, t.chain_id ASC LIMIT 10 ) p) x13 ) x12 ON true LEFT JOIN LATERAL (SELECT string_agg(concat('{"txHash":', coalesce(to_json(x15."txHash")::text, 'null'), ',"liquidRewardUsd":', coalesce((x15."liquidRewardUsd")::text, 'null'), ',"claimedTimestamp":', coalesce('"' || x15."claimedTimestamp" || '"', 'null'), '}'), ',' ORDER BY x15.n)  AS items
FROM (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.tx_hash AS "txHash", t.liquid_reward_usd AS "liquidRewardUsd", t.claimed_timestamp AS "claimedTimestamp" FROM vault_liquidation_reward t
WHERE t.user_address = x1."address"
ORDER BY t.timestamp DESC, t.log_index DESC, t.tx_hash ASC, t.chain_id ASC LIMIT 10 ) p) x15 ) x14 ON true

-- GET /points/breakdown-by-assets: ["$asset","$asset"]
SELECT x2."id", x2."marketAddress", x2."userAddress", x2."distributionDate", x2."pointsA", x2."pointsB", x2."points", x2."aTokenAddress", x2."aTokenSymbol", x2."aTokenPrice", x2."aSuppliedAmount", x2."aSuppliedAmountUsd", x2."aProtectedSuppliedAmount", x2."aProtectedSuppliedAmountUsd", x2."aBorrowedAmount", x2."aBorrowedAmountUsd", x2."bTokenAddress", x2."bTokenSymbol", x2."bTokenPrice", x2."bSuppliedAmount", x2."bSuppliedAmountUsd", x2."bProtectedSuppliedAmount", x2."bProtectedSuppliedAmountUsd", x2."bBorrowedAmount", x2."bBorrowedAmountUsd" FROM (SELECT DISTINCT ON ("distributionDate", "id") *
FROM ((SELECT t.id AS "id", t.pool_address AS "marketAddress", t.user_address AS "userAddress", t.distribution_date AS "distributionDate", trim_scale((coalesce(pp.points_a, 0)) * 0.000001) AS "pointsA", trim_scale((coalesce(pp.points_b, 0)) * 0.000001) AS "pointsB", trim_scale((coalesce(pp.points_a + pp.points_b, 0)) * 0.000001) AS "points", t.a_token_address AS "aTokenAddress", t.a_token_symbol AS "aTokenSymbol", t.a_token_price AS "aTokenPrice", t.a_supplied_amount AS "aSuppliedAmount", t.a_supplied_amount_usd AS "aSuppliedAmountUsd", t.a_protected_supplied_amount AS "aProtectedSuppliedAmount", t.a_protected_supplied_amount_usd AS "aProtectedSuppliedAmountUsd", t.a_borrowed_amount AS "aBorrowedAmount", t.a_borrowed_amount_usd AS "aBorrowedAmountUsd", t.b_token_address AS "bTokenAddress", t.b_token_symbol AS "bTokenSymbol", t.b_token_price AS "bTokenPrice", t.b_supplied_amount AS "bSuppliedAmount", t.b_supplied_amount_usd AS "bSuppliedAmountUsd", t.b_protected_supplied_amount AS "bProtectedSuppliedAmount", t.b_protected_supplied_amount_usd AS "bProtectedSuppliedAmountUsd", t.b_borrowed_amount AS "bBorrowedAmount", t.b_borrowed_amount_usd AS "bBorrowedAmountUsd" FROM position t LEFT JOIN position_points pp
ON pp.distribution_date = t.distribution_date AND pp.user_address = t.user_address AND pp.pool_address = t.pool_address
WHERE t.a_token_address = (SELECT $1::text)
ORDER BY t.distribution_date DESC, t.id ASC LIMIT 101) UNION ALL (SELECT t.id AS "id", t.pool_address AS "marketAddress", t.user_address AS "userAddress", t.distribution_date AS "distributionDate", trim_scale((coalesce(pp.points_a, 0)) * 0.000001) AS "pointsA", trim_scale((coalesce(pp.points_b, 0)) * 0.000001) AS "pointsB", trim_scale((coalesce(pp.points_a + pp.points_b, 0)) * 0.000001) AS "points", t.a_token_address AS "aTokenAddress", t.a_token_symbol AS "aTokenSymbol", t.a_token_price AS "aTokenPrice", t.a_supplied_amount AS "aSuppliedAmount", t.a_supplied_amount_usd AS "aSuppliedAmountUsd", t.a_protected_supplied_amount AS "aProtectedSuppliedAmount", t.a_protected_supplied_amount_usd AS "aProtectedSuppliedAmountUsd", t.a_borrowed_amount AS "aBorrowedAmount", t.a_borrowed_amount_usd AS "aBorrowedAmountUsd", t.b_token_address AS "bTokenAddress", t.b_token_symbol AS "bTokenSymbol", t.b_token_price AS "bTokenPrice", t.b_supplied_amount AS "bSuppliedAmount", t.b_supplied_amount_usd AS "bSuppliedAmountUsd", t.b_protected_supplied_amount AS "bProtectedSuppliedAmount", t.b_protected_supplied_amount_usd AS "bProtectedSuppliedAmountUsd", t.b_borrowed_amount AS "bBorrowedAmount", t.b_borrowed_amount_usd AS "bBorrowedAmountUsd" FROM position t LEFT JOIN position_points pp
ON pp.distribution_date = t.distribution_date AND pp.user_address = t.user_address AND pp.pool_address = t.pool_address
WHERE t.b_token_address = (SELECT $2::text)
ORDER BY t.distribution_date DESC, t.id ASC LIMIT 101)) t
ORDER BY "distributionDate" DESC, "id" ASC LIMIT 101 ) x2

-- GET /positions/breakdown-by-markets: ["$market"]
SELECT x2."id", x2."marketAddress", x2."userAddress", x2."distributionDate", x2."pointsA", x2."pointsB", x2."points", x2."aTokenAddress", x2."aTokenSymbol", x2."aTokenPrice", x2."aSuppliedAmount", x2."aSuppliedAmountUsd", x2."aProtectedSuppliedAmount", x2."aProtectedSuppliedAmountUsd", x2."aBorrowedAmount", x2."aBorrowedAmountUsd", x2."bTokenAddress", x2."bTokenSymbol", x2."bTokenPrice", x2."bSuppliedAmount", x2."bSuppliedAmountUsd", x2."bProtectedSuppliedAmount", x2."bProtectedSuppliedAmountUsd", x2."bBorrowedAmount", x2."bBorrowedAmountUsd" FROM (SELECT t.id AS "id", t.pool_address AS "marketAddress", t.user_address AS "userAddress", t.distribution_date AS "distributionDate", trim_scale((coalesce(pp.points_a, 0)) * 0.000001) AS "pointsA", trim_scale((coalesce(pp.points_b, 0)) * 0.000001) AS "pointsB", trim_scale((coalesce(pp.points_a + pp.points_b, 0)) * 0.000001) AS "points", t.a_token_address AS "aTokenAddress", t.a_token_symbol AS "aTokenSymbol", t.a_token_price AS "aTokenPrice", t.a_supplied_amount AS "aSuppliedAmount", t.a_supplied_amount_usd AS "aSuppliedAmountUsd", t.a_protected_supplied_amount AS "aProtectedSuppliedAmount", t.a_protected_supplied_amount_usd AS "aProtectedSuppliedAmountUsd", t.a_borrowed_amount AS "aBorrowedAmount", t.a_borrowed_amount_usd AS "aBorrowedAmountUsd", t.b_token_address AS "bTokenAddress", t.b_token_symbol AS "bTokenSymbol", t.b_token_price AS "bTokenPrice", t.b_supplied_amount AS "bSuppliedAmount", t.b_supplied_amount_usd AS "bSuppliedAmountUsd", t.b_protected_supplied_amount AS "bProtectedSuppliedAmount", t.b_protected_supplied_amount_usd AS "bProtectedSuppliedAmountUsd", t.b_borrowed_amount AS "bBorrowedAmount", t.b_borrowed_amount_usd AS "bBorrowedAmountUsd" FROM position t LEFT JOIN position_points pp
ON pp.distribution_date = t.distribution_date AND pp.user_address = t.user_address AND pp.pool_address = t.pool_address
WHERE t.pool_address = $1::text
ORDER BY t.distribution_date DESC, t.id ASC LIMIT 101 ) x2

-- graphql 50 pools, top 5 positions, their users: ["$offset"]
SELECT x2.n, CASE WHEN x5.n > 1 THEN NULL ELSE x2."id" END, CASE WHEN x5.n > 1 THEN NULL ELSE x2."name" END, CASE WHEN x5.n > 1 THEN NULL ELSE x2."displayName" END, CASE WHEN x5.n > 1 THEN NULL ELSE x3."depositA" END, CASE WHEN x5.n > 1 THEN NULL ELSE x3."depositB" END, CASE WHEN x5.n > 1 THEN NULL ELSE x3."borrowA" END, CASE WHEN x5.n > 1 THEN NULL ELSE x3."borrowB" END, CASE WHEN x5.n > 1 THEN NULL ELSE x3."id" END, x5.n, x5."distributionDate", x5."pointsA", x5."pointsB", x6."address", x6."points", x6."rank" FROM (SELECT) r  LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.id AS "id", t.name AS "name", concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.number) AS "displayName" FROM pool t LEFT JOIN pool_total total ON total.pool_address = t.id
LEFT JOIN pool_day d ON d.pool_address = t.id AND d.distribution_date = (SELECT max(date) FROM distribution)
ORDER BY t.number ASC, t.id ASC LIMIT 50 OFFSET $1::bigint) p) x2 ON true
LEFT JOIN LATERAL (SELECT t.deposit_token_a AS "depositA", t.deposit_token_b AS "depositB", t.borrow_token_a AS "borrowA", t.borrow_token_b AS "borrowB", t.id AS "id" FROM multiplier t WHERE t.pool_address = x2."id") x3 ON true
LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.distribution_date AS "distributionDate", trim_scale((coalesce(pp.points_a, 0)) * 0.000001) AS "pointsA", trim_scale((coalesce(pp.points_b, 0)) * 0.000001) AS "pointsB", t.user_address AS "userAddress" FROM position t LEFT JOIN position_points pp
ON pp.distribution_date = t.distribution_date AND pp.user_address = t.user_address AND pp.pool_address = t.pool_address
WHERE t.pool_address = x2."id"
ORDER BY t.distribution_date DESC, t.id ASC LIMIT 5 ) p) x5 ON true LEFT JOIN LATERAL (SELECT u.address AS "address", trim_scale((coalesce(t.points, 0)) * 0.000001) AS "points", t.rank AS "rank" FROM (SELECT x5."userAddress" AS address) u LEFT JOIN account t ON t.user_address = u.address
) x6 ON true
ORDER BY x2.n, x5.n

-- GET /v1/users/{address}/market-position-snapshots?should_group_by_timestamp: ["$address","$from","$to","$from","$to"]
SELECT x3.total, x4.n, x4."chainId", x4."marketId", x4."accountId", x4."positionId", x4."timestamp", x4."collateralAssets", x4."collateralUsd", x4."protectedAssets", x4."protectedUsd", x4."debtAssets", x4."debtUsd" FROM (SELECT) r LEFT JOIN LATERAL (SELECT u.address AS "address" FROM (SELECT $1::text AS address) u LEFT JOIN account t ON t.user_address = u.address
) x1 ON true LEFT JOIN LATERAL (SELECT count(*) AS total FROM (SELECT chain_id, market_id, user_address, NULL::text AS position_id, timestamp, sum(collateral_assets) AS collateral_assets, sum((collateral_usd)::text::numeric)::float8 AS collateral_usd, sum(protected_assets) AS protected_assets, sum((protected_usd)::text::numeric)::float8 AS protected_usd, sum(debt_assets) AS debt_assets, sum((debt_usd)::text::numeric)::float8 AS debt_usd
FROM market_snapshot GROUP BY user_address, timestamp, chain_id, market_id) t WHERE t.user_address = x1."address" AND t.timestamp >= $2::bigint AND t.timestamp <= $3::bigint) x3 ON true LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.chain_id AS "chainId", t.market_id AS "marketId", t.user_address AS "accountId", t.position_id AS "positionId", t.timestamp AS "timestamp", t.collateral_assets::text AS "collateralAssets", t.collateral_usd AS "collateralUsd", t.protected_assets::text AS "protectedAssets", t.protected_usd AS "protectedUsd", t.debt_assets::text AS "debtAssets", t.debt_usd AS "debtUsd" FROM (SELECT chain_id, market_id, user_address, NULL::text AS position_id, timestamp, sum(collateral_assets) AS collateral_assets, sum((collateral_usd)::text::numeric)::float8 AS collateral_usd, sum(protected_assets) AS protected_assets, sum((protected_usd)::text::numeric)::float8 AS protected_usd, sum(debt_assets) AS debt_assets, sum((debt_usd)::text::numeric)::float8 AS debt_usd
FROM market_snapshot GROUP BY user_address, timestamp, chain_id, market_id) t
WHERE t.user_address = x1."address" AND t.timestamp >= $4::bigint AND t.timestamp <= $5::bigint
ORDER BY t.timestamp ASC, t.chain_id ASC, t.market_id ASC, t.user_address ASC LIMIT 101 ) p) x4 ON true
ORDER BY x4.n

-- GET /multipliers/all: []
SELECT x2.n, x2."poolNumber", x2."poolAddress", x2."id", x2."depositA", x2."depositB", x2."borrowA", x2."borrowB", x2."createdAt" AT TIME ZONE 'UTC', x2."updatedAt" AT TIME ZONE 'UTC', x3."displayName", x3."asset1Address", x3."asset1Symbol", x3."asset2Address", x3."asset2Symbol" FROM (SELECT) r  LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.id AS "id", t.pool_address AS "poolAddress", t.deposit_token_a AS "depositA", t.deposit_token_b AS "depositB", t.borrow_token_a AS "borrowA", t.borrow_token_b AS "borrowB", t.created_at AS "createdAt", t.updated_at AS "updatedAt", p.number AS "poolNumber" FROM multiplier t JOIN pool p ON p.id = t.pool_address
ORDER BY p.number ASC, p.id ASC LIMIT 1001 ) p) x2 ON true
LEFT JOIN LATERAL (SELECT concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.number) AS "displayName", t.asset_1_address AS "asset1Address", t.asset_1_symbol AS "asset1Symbol", t.asset_2_address AS "asset2Address", t.asset_2_symbol AS "asset2Symbol", t.id AS "id" FROM pool t LEFT JOIN pool_total total ON total.pool_address = t.id
LEFT JOIN pool_day d ON d.pool_address = t.id AND d.distribution_date = (SELECT max(date) FROM distribution) WHERE t.id = x2."poolAddress") x3 ON true ORDER BY x2.n

-- GET /pools/all: []
SELECT x2.n, x2."number", x2."id", x2."name", x2."createdTimestamp", x2."interestLastUpdated", x2."unit1Id", x2."unit2Id", x2."asset1Address", x2."asset1Name", x2."asset1Symbol", x2."asset2Address", x2."asset2Name", x2."asset2Symbol", x3."id", x3."poolAddress", x3."depositA", x3."depositB", x3."borrowA", x3."borrowB", x3."createdAt" AT TIME ZONE 'UTC', x3."updatedAt" AT TIME ZONE 'UTC', x4."displayName", x4."asset1Address", x4."asset1Symbol", x4."asset2Address", x4."asset2Symbol" FROM (SELECT) r  LEFT JOIN LATERAL (SELECT p.*, row_number() OVER () AS n FROM (SELECT t.id AS "id", t.number AS "number", t.name AS "name", t.created_timestamp AS "createdTimestamp", t.interest_last_updated AS "interestLastUpdated", t.unit_1_id AS "unit1Id", t.unit_2_id AS "unit2Id", t.asset_1_address AS "asset1Address", t.asset_1_name AS "asset1Name", t.asset_1_symbol AS "asset1Symbol", t.asset_2_address AS "asset2Address", t.asset_2_name AS "asset2Name", t.asset_2_symbol AS "asset2Symbol" FROM pool t LEFT JOIN pool_total total ON total.pool_address = t.id
LEFT JOIN pool_day d ON d.pool_address = t.id AND d.distribution_date = (SELECT max(date) FROM distribution)
ORDER BY t.number ASC, t.id ASC LIMIT 1001 ) p) x2 ON true
LEFT JOIN LATERAL (SELECT t.id AS "id", t.pool_address AS "poolAddress", t.deposit_token_a AS "depositA", t.deposit_token_b AS "depositB", t.borrow_token_a AS "borrowA", t.borrow_token_b AS "borrowB", t.created_at AS "createdAt", t.updated_at AS "updatedAt" FROM multiplier t WHERE t.pool_address = x2."id") x3 ON true LEFT JOIN LATERAL (SELECT concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.number) AS "displayName", t.asset_1_address AS "asset1Address", t.asset_1_symbol AS "asset1Symbol", t.asset_2_address AS "asset2Address", t.asset_2_symbol AS "asset2Symbol", t.id AS "id" FROM pool t LEFT JOIN pool_total total ON total.pool_address = t.id
LEFT JOIN pool_day d ON d.pool_address = t.id AND d.distribution_date = (SELECT max(date) FROM distribution) WHERE t.id = x3."poolAddress") x4 ON true ORDER BY x2.n
