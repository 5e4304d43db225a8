import type { StoreProbe } from '../connect/probe.ts'
import { storeFault } from '../faults.ts'

/** Identifies a server and its copies. Undefined if the role may not read that. */
export async function systemIdentifierOf(
  server: Pick<StoreProbe, 'query'>,
): Promise<string | undefined> {
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
