import { vaults } from './data.ts'
import type { Fact } from './fact.ts'

const TOTALS = 'start lastDate totalAssets { raw value usd } totalShares sharePrice userCount'

/**
 * What the users of a vault have in it at the end of a day: each user's rows of the newest moment
 * until then.
 */
const until = (chainId: number, vault: string, day: string) => `(
  SELECT max(date) AS last, sum(assets) AS assets, sum(shares) AS shares,
    CASE WHEN bool_and("assetsUsd" IS NOT NULL OR assets = 0) THEN coalesce(sum("assetsUsd"::numeric), 0) END AS usd,
    count(DISTINCT "accountId") FILTER (WHERE assets > 0 OR shares > 0) AS users
  FROM (SELECT s.*, rank() OVER (PARTITION BY "accountId" ORDER BY timestamp DESC) AS nth,
      (to_timestamp(timestamp) AT TIME ZONE 'UTC')::date AS date
    FROM vault_snapshots s WHERE "chainId" = ${chainId} AND "vaultId" = '${vault}'
      AND (to_timestamp(timestamp) AT TIME ZONE 'UTC')::date <= ${day}) s WHERE nth = 1 HAVING count(*) > 0)`

const columns = (
  start: string,
) => `${start} AS start, last AS "lastDate", assets::text AS "totalAssets.raw",
  trim_scale(assets * 0.000001)::text AS "totalAssets.value", usd AS "totalAssets.usd", shares::text AS "totalShares",
  assets / nullif(shares, 0) AS "sharePrice", users AS "userCount"`

/** By hand: the second user of a vault comes in the month after the first. */
const BY_HAND = `SELECT * FROM (VALUES
    (date '2025-02-01', NULL::date, NULL, NULL, NULL::numeric, NULL, NULL::numeric, NULL::int8),
    ('2025-03-01', '2025-03-02', '6', '0.000006', 60, '5', 1.2, 1),
    ('2025-04-01', '2025-04-01', '11', '0.000011', 60.1, '9', 11 / 9::numeric, 2),
    ('2025-05-01', '2025-04-01', '11', '0.000011', 60.1, '9', 11 / 9::numeric, 2))
  v (start, "lastDate", "totalAssets.raw", "totalAssets.value", "totalAssets.usd", "totalShares", "sharePrice", "userCount")`

export const vaultFacts: Fact[] = [
  {
    name: 'the totals of a vault, by hand: null before its first snapshot, those of the last day after it',
    query: `vault(chainId: 42161, address: "${vaults.same}") {
      series(interval: MONTH, from: "2025-02-01", to: "2025-05-01") { ${TOTALS} } }`,
    at: 'vault.series',
    sql: BY_HAND,
  },
  ...[
    [1, vaults.same],
    [1, vaults.twin],
    [42161, vaults.same],
  ].flatMap(([chainId, vault]): Fact[] => [
    {
      name: `the totals of vault ${vault} on chain ${chainId}, each day`,
      query: `vault(chainId: ${chainId}, address: "${vault}") { series(from: "2025-02-27", to: "2025-04-03") { ${TOTALS} } }`,
      at: 'vault.series',
      sql: `SELECT ${columns('day::date')} FROM generate_series(date '2025-02-27', '2025-04-03', '1 day') day
        LEFT JOIN LATERAL ${until(Number(chainId), String(vault), 'day')} d ON true ORDER BY 1`,
    },
    ...['2025-03-01', '2025-03-02', '2200-01-01'].map((day) => ({
      name: `the totals of vault ${vault} on chain ${chainId} as of ${day}`,
      query: `vault(chainId: ${chainId}, address: "${vault}") { totals(asOf: "${day}") { ${TOTALS} } }`,
      at: 'vault.totals',
      sql: `SELECT ${columns('last')} FROM ${until(Number(chainId), String(vault), `date '${day}'`)} d`,
      ...(chainId === 42161 && day.startsWith('2025-03-01') && { empty: true as const }),
    })),
  ]),
]
