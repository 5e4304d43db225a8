import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ClientConfig, pinSession, StoreClient } from './client.ts'

/**
 * A separate connection, which other work cannot block, with a short deadline for each statement.
 */
export interface StoreProbe {
  /** @throws if the database does not answer in time */
  ping(): Promise<void>
  /** @throws if the database does not answer in time */
  query<Row extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<Row>>
  /** Notifies a channel. @throws if the database does not confirm in time */
  notify(channel: string, payload: string): Promise<void>
  close(): Promise<void>
}

const DEADLINE_MS = 800
const CLOSING_MS = 500
// Reconnects regularly, so as not to stay on a server that new connections no longer reach.
const LIFETIME_SECONDS = 60

/**
 * Opens a probe. It connects on first use.
 * @param sessions false behind a pooler in transaction mode
 */
export function openProbe(
  url: string,
  { sessions }: { sessions: boolean } = { sessions: true },
): StoreProbe {
  const session = sessions ? { onConnect: pinSession } : { pooled: {} }
  const config: pg.PoolConfig & Pick<ClientConfig, 'pooled'> = {
    ...session,
    Client: StoreClient as unknown as typeof pg.Client,
    connectionString: url,
    application_name: 'gateway-probe',
    max: 1,
    connectionTimeoutMillis: DEADLINE_MS,
    query_timeout: DEADLINE_MS,
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    allowExitOnIdle: true,
  }
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  let client: pg.PoolClient | undefined
  pool.on('connect', (connected) => {
    client = connected.on('error', () => {})
  })
  let pinging: Promise<void> | undefined
  return {
    ping() {
      pinging ??= pool
        .query('SELECT 1')
        .then(() => {})
        .finally(() => {
          pinging = undefined
        })
      return pinging
    },
    query: <Row extends pg.QueryResultRow>(text: string) => pool.query<Row>(text),
    async notify(channel, payload) {
      // Blocks no writer, and does not wait for the disk.
      await pool.query(`BEGIN; SET LOCAL synchronous_commit = off;
        NOTIFY ${pg.escapeIdentifier(channel)}, ${pg.escapeLiteral(payload)}; COMMIT`)
    },
    async close() {
      await Promise.race([pool.end(), sleep(CLOSING_MS, undefined, { ref: false })])
      // A dead connection would wait forever for its goodbye.
      client?.connection.stream.destroy()
    },
  }
}
