/** Postgres notices within half a minute that a client's machine has vanished, and frees its locks. */
const KEEPALIVES = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}

export interface SessionSettings {
  /** How long Postgres may be at one statement, in milliseconds; 0: as long as the store allows. */
  statement_timeout?: number
  /** How long a statement may wait for a lock, in milliseconds; 0: as long as the store allows. */
  lock_timeout?: number
}

/** What a new session sends first. By a statement, since a pooler may refuse to connect with parameters. */
export function sessionSql(settings: SessionSettings = {}): string {
  const chosen = Object.entries(settings).filter(([, value]) => value > 0)
  return [...Object.entries(KEEPALIVES), ...chosen].map(([name, value]) => `SET ${name} = ${value}`).join('; ')
}
