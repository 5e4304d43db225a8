import pg from 'pg'
import { Sharded } from './sharded.ts'
import { single } from './single.ts'
import type { Topology } from './topology.ts'

/** Finds the topology of a store: only a sharded one has the function that writers call. */
export async function topologyOf(client: Pick<pg.ClientBase, 'query'>): Promise<Topology> {
  const { rows } = await client.query(
    "SELECT to_regprocedure('public.data_changed()') IS NOT NULL AS sharded",
  )
  return rows[0]?.sharded === true ? new Sharded() : single
}

/**
 * Finds the topology of the store at a URL. A database that cannot be reached counts as one: what
 * uses it next reports that.
 */
export async function topologyAt(url: string): Promise<Topology> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await topologyOf(client)
  } catch {
    return single
  } finally {
    await client.end().catch(() => {})
  }
}
