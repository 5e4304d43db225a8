import pg from 'pg'
import type { Queryable } from '../connect/protocol.ts'
import { oneServer } from '../dialect.ts'
import { changes, differs } from './merge.ts'
import { Sharded } from './sharded.ts'
import type { Topology } from './topology.ts'

// All rows are in one Postgres.
const single: Topology = {
  ...oneServer,
  temporary: (table) => table,
  merge({ into, key, values, appended = [], from }) {
    const columns = [...key, ...values, ...appended]
    const of = (row: string, some: string[]) => some.map((column) => `${row}.${column}`).join(', ')
    const equal = key.map((column) => `t.${column} = s.${column}`).join(' AND ')
    return `MERGE INTO ${into} t USING ${from} s ON ${equal}
    WHEN MATCHED AND (${differs(of('t', values), of('s', values), 's', appended)})
      THEN UPDATE SET ${changes('s', values, appended)}
    WHEN NOT MATCHED THEN INSERT (${columns.join(', ')}) VALUES (${of('s', columns)})`
  },
  async announce() {},
  async analyze(client, tables) {
    for (const table of tables) await client.query(`ANALYZE ${table}`)
  },
}

/** True if the rows of users are spread: only such a store has the function that writers call. */
export async function isSpread(client: Queryable): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT to_regprocedure('public.data_changed()') IS NOT NULL AS sharded",
  )
  return rows[0]?.sharded === true
}

/** Finds the topology of a store. */
export const topologyOf = async (client: Queryable): Promise<Topology> =>
  (await isSpread(client)) ? new Sharded() : single

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
