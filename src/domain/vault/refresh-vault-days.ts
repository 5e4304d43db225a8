import { exact } from '../../db/exact-sum.ts'
import type { Topology } from '../../db/topology/topology.ts'
import { LAST_SECOND } from '../../time.ts'

/**
 * SQL of the day (UTC) of a time in Unix seconds. Times that no calendar has are on the last day.
 */
export const dayOf = (seconds: string) =>
  `date '1970-01-01' + (least(${seconds}, ${LAST_SECOND}) / 86400)::int`

const KEY = ['chain_id', 'vault_id']
const VALUES = ['assets', 'shares', 'assets_usd', 'unpriced', 'user_count']

/** Sums the rows `s` of a user in a vault at one moment. */
const LEVEL = `sum(s.assets) AS assets, sum(s.shares) AS shares, coalesce(sum(${exact('s.assets_usd')}), 0) AS assets_usd,
  (count(*) FILTER (WHERE s.assets_usd IS NULL AND s.assets <> 0))::int AS unpriced,
  (sum(s.assets) + sum(s.shares) > 0)::int AS user_count`

/** Creates the table of the vaults whose snapshots have changed, from a day on. */
export const CHANGED_VAULTS = `CREATE TEMP TABLE IF NOT EXISTS changed_vault (chain_id bigint, vault_id text COLLATE "C", since date) ON COMMIT DROP`

export const NOTE_STAGED = `INSERT INTO changed_vault SELECT chain_id, vault_id, ${dayOf('min(timestamp)')} FROM staged GROUP BY 1, 2`

/** Notes the vaults of changed prices. */
export const NOTE_PRICED = `INSERT INTO changed_vault
  SELECT v.chain_id, v.id, min(c.date) FROM vault v JOIN (SELECT * FROM changed_price OFFSET 0) c USING (chain_id, asset_address) GROUP BY 1, 2`

/**
 * Refreshes the totals of noted vaults: those of the day before, plus what each later snapshot
 * changes. Rows that are up to date are not written. Its cost is that of the snapshots since the
 * first changed day; a cluster adds up all of the vaults.
 */
export function refreshVaultDays(topology: Topology): string {
  const since = topology.form({ one: 'min(since)', cluster: `date '1970-01-01'` })
  const level = `SELECT s.user_address, s.chain_id, s.vault_id, s.timestamp, ${LEVEL}
    FROM vault_snapshot s JOIN ${topology.temporary('vault_since')} c USING (chain_id, vault_id)
    WHERE s.timestamp >= (c.since - date '1970-01-01')::bigint * 86400 GROUP BY 1, 2, 3, 4`
  const before = `SELECT k.user_address, k.chain_id, k.vault_id, p.*
    FROM (SELECT DISTINCT user_address, chain_id, vault_id, c.since FROM level JOIN vault_since c USING (chain_id, vault_id)
      WHERE c.assets IS NOT NULL) k
    CROSS JOIN LATERAL (SELECT s.timestamp, ${LEVEL} FROM (SELECT * FROM vault_snapshot p
      WHERE p.user_address = k.user_address AND p.chain_id = k.chain_id AND p.vault_id = k.vault_id
        AND p.timestamp < (k.since - date '1970-01-01')::bigint * 86400
      ORDER BY p.chain_id DESC, p.vault_id DESC, p.timestamp DESC FETCH FIRST ROW WITH TIES) s GROUP BY 1) p`
  const { ctes, levels } = topology.form({
    one: {
      ctes: `WITH level AS MATERIALIZED (${level})`,
      levels: `SELECT * FROM level UNION ALL ${before}`,
    },
    cluster: { ctes: '', levels: level },
  })
  const columns = (of: (value: string) => string) =>
    VALUES.map((value) => `${of(value)} AS ${value}`).join(', ')
  const total = (value: string) =>
    `coalesce(b.${value}, 0) + sum(d.${value}) OVER (PARTITION BY d.chain_id, d.vault_id ORDER BY d.date)`
  return [
    `CREATE TEMP TABLE vault_since ON COMMIT DROP AS
     SELECT c.*, ${VALUES.map((value) => `b.${value}`).join(', ')}
     FROM (SELECT chain_id, vault_id, ${since} AS since FROM changed_vault GROUP BY 1, 2) c
     LEFT JOIN LATERAL (SELECT * FROM vault_day b WHERE b.chain_id = c.chain_id AND b.vault_id = c.vault_id AND b.date < c.since
       ORDER BY b.date DESC LIMIT 1) b ON true`,
    'ANALYZE vault_since',
    `CREATE TEMP TABLE refreshed_vault_day ON COMMIT DROP AS ${ctes}
     SELECT chain_id, vault_id, ${dayOf('timestamp')} AS date, ${columns((value) => `sum(${value})`)}
     FROM (SELECT chain_id, vault_id, timestamp, ${columns((value) => `${value} - coalesce(lag(${value}) OVER w, 0)`)}
       FROM (${levels}) l WINDOW w AS (PARTITION BY user_address, chain_id, vault_id ORDER BY timestamp)) s
     GROUP BY 1, 2, 3`,
    topology.merge({
      into: 'vault_day',
      key: [...KEY, 'date'],
      values: VALUES,
      from: `(SELECT d.chain_id, d.vault_id, d.date, ${columns(total)}
        FROM refreshed_vault_day d JOIN vault_since b USING (chain_id, vault_id) WHERE d.date >= b.since)`,
    }),
    'DROP TABLE changed_vault, vault_since, refreshed_vault_day',
  ].join('; ')
}
