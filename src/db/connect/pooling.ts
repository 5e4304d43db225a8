import pTimeout, { TimeoutError } from 'p-timeout'
import pg from 'pg'
import { GatewayError } from '../../errors.ts'

// The pooler between the gateway and Postgres: nothing, or a pooler that lends a server connection
// for so long.
type Pooling = 'none' | 'session' | 'transaction'

const PATIENCE_MS = 3000
const TRIES = 5

/**
 * Finds out what is at a URL. A pooler issues its keys for cancelling, so they do not name the
 * process that answers. One in transaction mode answers a connection from another process while the
 * first one is busy, or two connections from the same one. A database that cannot be reached counts
 * as Postgres: what uses it next reports that.
 * @param setting the name of the setting with the URL, for the error
 * @throws BAD_INPUT if a pooler in session mode lends fewer than `needed` connections
 */
export async function poolingAt(
  url: string,
  needed: number,
  setting = 'DATABASE_URL',
): Promise<Pooling> {
  const [one, two] = [connection(url), connection(url)]
  try {
    await one.connect()
    if ((await pidOf(one)) === (one as unknown as { processID: number }).processID) return 'none'
    await two.connect()
    for (let i = 0; i < TRIES; i++) {
      const before = await pidOf(one)
      await pTimeout(two.query('BEGIN'), { milliseconds: PATIENCE_MS })
      // With one connection of the pooler, the first one would wait for it.
      if ((await pidOf(two)) === before || (await pidOf(one)) !== before) return 'transaction'
      await two.query('ROLLBACK')
    }
  } catch (error) {
    if (!(error instanceof TimeoutError)) return 'none'
  } finally {
    for (const client of [one, two]) client.connection.stream.destroy()
  }
  await assertLends(url, needed, setting)
  return 'session'
}

function connection(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'gateway-start',
    connectionTimeoutMillis: PATIENCE_MS,
  })
  client.on('error', () => {})
  return client
}

async function pidOf(client: pg.Client): Promise<number> {
  const query = client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const { rows } = await pTimeout(query, { milliseconds: PATIENCE_MS })
  return rows[0]?.pid ?? 0
}

async function assertLends(url: string, needed: number, setting: string): Promise<void> {
  const clients = Array.from({ length: needed }, () => connection(url))
  const answers = await Promise.allSettled(
    clients.map(async (client) => {
      await client.connect()
      await pidOf(client)
    }),
  )
  for (const client of clients) client.connection.stream.destroy()
  const lent = answers.filter(({ status }) => status === 'fulfilled').length
  if (lent === needed) return
  throw new GatewayError(
    'BAD_INPUT',
    `${setting} leads to a pooler in session mode that lends ${lent} connections, and ` +
      `this gateway needs ${needed}: raise its default_pool_size, set a smaller ` +
      'DATABASE_POOL_SIZE, or use transaction mode and DATABASE_DIRECT_URL.',
  )
}
