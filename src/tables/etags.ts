import type { PoolClient } from 'pg'
import manifest from '../../package.json' with { type: 'json' }
import { historyPoint } from '../db/connect/history.ts'
import type { Store } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import { tagOf } from '../http/cache/answer.ts'

/** How long caches may hold a table whose address has the run of its date. */
export const FOR_GOOD = 'public, max-age=31536000, immutable'

/**
 * The etag of a table. It is of the data before the rows are read, so rows that are newer are sent
 * again.
 * @param of the values that its rows depend on, other than the data
 */
export async function tagOfTable(store: Store, of: unknown[]): Promise<string> {
  return tagOf(JSON.stringify([manifest.version, await historyPoint(store), of]))
}

/** @throws CONFLICT if the rows of a date are not those of a run */
export async function assertRun(client: PoolClient, date: string, run: string): Promise<void> {
  const { rows } = await client.query<{ run: string | null }>(
    'SELECT run_id::text AS run FROM distribution WHERE date = $1::date',
    [date],
  )
  const stored = rows[0]?.run ?? 'none'
  if (stored !== run)
    throw new GatewayError('CONFLICT', `The run of ${date} is ${stored}, not ${run}.`)
}
