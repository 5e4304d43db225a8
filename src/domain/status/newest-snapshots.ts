import { LAST_SECOND } from '../../time.ts'

// Markets and vaults may have the address of one on another chain: so many newer snapshots of that
// one are passed over.
const MAX_PASSED = 10_000

export interface NewestOfChain {
  chainId: string
  time: Date | null
}

const newestIn = (kind: 'market' | 'vault') => `SELECT e.chain_id, (
    SELECT n.timestamp FROM (
      SELECT s.chain_id, s.timestamp FROM ${kind}_snapshot s WHERE s.${kind}_id = e.id
      ORDER BY s.timestamp DESC LIMIT ${MAX_PASSED}) n
    WHERE n.chain_id = e.chain_id LIMIT 1) AS timestamp
  FROM ${kind} e`

/**
 * Reads the newest snapshot of each chain that has a market or a vault: one entry of an index for
 * each of those.
 */
export const NEWEST_SNAPSHOTS = `SELECT n.chain_id::text AS "chainId",
  to_timestamp(CASE WHEN max(n.timestamp) > ${LAST_SECOND} THEN ${LAST_SECOND}
  ELSE max(n.timestamp) END) AS time
  FROM (${newestIn('market')} UNION ALL ${newestIn('vault')}) n
  GROUP BY n.chain_id ORDER BY n.chain_id`
