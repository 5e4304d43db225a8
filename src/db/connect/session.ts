const SETTINGS = {
  // It pays for statements of seconds only, and made a list of 100 positions six times slower.
  jit: 'off',
  // Postgres notices within half a minute that a client's machine has vanished, and frees its locks.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}

export interface SessionSettings {
  /** The time limit of a statement in milliseconds. 0 means the server's default. */
  statement_timeout?: number
  /** The time limit for a lock in milliseconds. 0 means the server's default. */
  lock_timeout?: number
  /** The maximum number of connections of one session to each worker of a Citus cluster. */
  'citus.max_adaptive_executor_pool_size'?: number
}

/** The first statement of a session, or of a transaction. Poolers may reject the same settings as connection parameters. */
export function sessionSql(settings: SessionSettings = {}, scope: 'SESSION' | 'LOCAL' = 'SESSION'): string {
  const limits = Object.entries(settings).filter(([, value]) => value > 0)
  return [...Object.entries(SETTINGS), ...limits].map(([name, value]) => `SET ${scope} ${name} = ${value}`).join('; ')
}
