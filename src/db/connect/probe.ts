import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A connection of its own that work on the store cannot keep busy, with a short deadline for whatever it sends. */
export interface Probe {
  /** @throws when the database does not answer in time */
  ping(): Promise<void>
  /** Notifies a channel. @throws when the database does not confirm it in time */
  notify(channel: string, payload: string): Promise<void>
  close(): Promise<void>
}

const DEADLINE_MS = 800
const CLOSING_MS = 500
/** It must not stay with a server that new connections do not reach any more. */
const LIFETIME_SECONDS = 60

export function openProbe(url: string): Probe {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'gateway-probe',
    max: 1,
    connectionTimeoutMillis: DEADLINE_MS,
    query_timeout: DEADLINE_MS,
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    allowExitOnIdle: true,
  })
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
    async notify(channel, payload) {
      // No write waits for this, and this waits for no disk.
      await pool.query(`BEGIN; SET LOCAL synchronous_commit = off;
        NOTIFY ${pg.escapeIdentifier(channel)}, ${pg.escapeLiteral(payload)}; COMMIT`)
    },
    async close() {
      await Promise.race([pool.end(), sleep(CLOSING_MS, undefined, { ref: false })])
      // One that is dead would wait for its goodbye for ever.
      client?.connection.stream.destroy()
    },
  }
}
