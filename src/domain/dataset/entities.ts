import type { PoolClient } from 'pg'
import type { Entity } from './records.ts'

/** Pools by id, markets and vaults by chain and id: everything that a record may name. */
export type Entities = Record<Entity, Set<string>>

/** The key of an entity: a pool's chain is undefined, since its id is enough. */
export const entityKey = (chainId: string | undefined, id: string) => (chainId === undefined ? id : `${chainId}:${id}`)

/** Those in the store. A protocol has hundreds, so they fit in memory. */
export async function storedEntities(client: PoolClient): Promise<Entities> {
  const keys = async (sql: string) => {
    const { rows } = await client.query<{ key: string }>(sql)
    return new Set(rows.map(({ key }) => key))
  }
  return {
    pool: await keys('SELECT id AS key FROM pool'),
    market: await keys(`SELECT chain_id || ':' || id AS key FROM market`),
    vault: await keys(`SELECT chain_id || ':' || id AS key FROM vault`),
  }
}
