import pg from 'pg'
import { parseRows } from './protocol.ts'

export interface ClientConfig extends pg.ClientConfig {
  /** False: statements have no names, by which a connection parses them once. A pooler in transaction mode would mix them up. */
  named?: boolean
}

/** Options of the store's pool that its connections lack. */
export interface StorePoolOptions {
  /** How long transactions wait for a lock; 0 or undefined: as long as the server lets them. */
  lockTimeoutMs?: number
  /** The connection for locks of jobs: past a pooler, which would have a connection less for each. */
  directUrl?: string
}

export class Client extends pg.Client {
  constructor(config: ClientConfig) {
    super(config)
    parseRows((this as unknown as { connection: pg.Connection }).connection)
    if (config.named === false) this.query = unnamed(this.query.bind(this))
  }
}

function unnamed(query: pg.Client['query']): pg.Client['query'] {
  return ((statement: { name?: string | undefined }, ...rest: unknown[]) => {
    if (typeof statement === 'object') statement.name = undefined
    return (query as (...args: unknown[]) => unknown)(statement, ...rest)
  }) as pg.Client['query']
}
