import type { Queryable } from '../../db/write.ts'
import type { ReferencedKind } from './records.ts'

/**
 * The entities that records may reference: pools by id, markets and vaults by chain and id, assets
 * by chain and address.
 */
export type KnownEntities = Record<ReferencedKind, Set<string>>

/** The key of an entity. A pool's chain is undefined, since its id is unique. */
export const entityKey = (chainId: string | undefined, id: string) =>
  chainId === undefined ? id : `${chainId}:${id}`

/** Reads the stored entities. A protocol has hundreds, so they fit in memory. */
export async function storedEntities(client: Queryable): Promise<KnownEntities> {
  const keys = async (sql: string) => {
    const { rows } = await client.query<{ key: string }>(sql)
    return new Set(rows.map(({ key }) => key))
  }
  return {
    pool: await keys('SELECT id AS key FROM pool'),
    market: await keys(`SELECT chain_id || ':' || id AS key FROM market`),
    vault: await keys(`SELECT chain_id || ':' || id AS key FROM vault`),
    asset: await keys(`SELECT chain_id || ':' || address AS key FROM (
      SELECT chain_id, asset_1_address AS address FROM pool
      UNION SELECT chain_id, asset_2_address FROM pool
      UNION SELECT chain_id, asset_address FROM market
      UNION SELECT chain_id, asset_address FROM vault) a`),
  }
}
