import pg from 'pg'
import { parseRows, pinStatements } from './protocol.ts'
import { pinSql, type SessionSettings, sessionSql } from './session.ts'

export interface ClientConfig extends pg.ClientConfig {
  /**
   * The settings that each statement outside of a transaction is sent with: its connection leads to
   * a pooler in transaction mode. Its statements have no names, by which a session parses them
   * once: the pooler would mix them up.
   */
  pooled?: SessionSettings | undefined
}

/** Options of the store's pool that its connections lack. */
export interface StorePoolOptions {
  /** How long transactions wait for a lock; 0 or undefined: without a limit. */
  lockTimeoutMs?: number
  /**
   * The connection for locks of jobs: past a pooler, which would have a connection less for each.
   */
  directUrl?: string
}

export class StoreClient extends pg.Client {
  constructor(config: ClientConfig) {
    super(config)
    parseRows((this as unknown as { connection: pg.Connection }).connection)
    if (!config.pooled) return
    this.query = unnamed(this.query.bind(this))
    pinStatements(this, pinSql('LOCAL', config.pooled))
  }
}

/**
 * Gives a new session the settings of the gateway: for a pool's `onConnect`, or after `connect`.
 */
export async function pinSession(client: pg.ClientBase): Promise<void> {
  await client.query(sessionSql())
}

function unnamed(query: pg.Client['query']): pg.Client['query'] {
  return ((statement: { name?: string | undefined }, ...rest: unknown[]) => {
    if (typeof statement === 'object') statement.name = undefined
    return (query as (...args: unknown[]) => unknown)(statement, ...rest)
  }) as pg.Client['query']
}
