import type pg from 'pg'
import { storeFault } from '../faults.ts'

interface Server {
  query<Row extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<Row>>
}

/** Identifies a server and its copies. Undefined if the role may not read that. */
export async function systemIdentifierOf(server: Server): Promise<string | undefined> {
  try {
    const { rows } = await server.query<{ id: string }>(
      'SELECT system_identifier::text AS id FROM pg_control_system()',
    )
    return rows[0]?.id
  } catch (error) {
    if (storeFault(error)?.code === 'FORBIDDEN') return undefined
    throw error
  }
}
