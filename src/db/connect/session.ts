// The settings that the text, the order and the meaning of values depend on. A server, a database
// or a role may have other defaults. Left to their owners: whether transactions may write, and when
// a commit is durable.
const MEANING = {
  search_path: 'public',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  timezone_abbreviations: 'Default',
  extra_float_digits: '1',
  bytea_output: 'hex',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  xmloption: 'content',
  array_nulls: 'on',
  transform_null_equals: 'off',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  quote_all_identifiers: 'off',
  row_security: 'on',
  check_function_bodies: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Views are read.
  restrict_nonsystem_relation_kind: '',
}

const LIMITS = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '15min',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

// Without triggers, stored sums would be wrong. Only a superuser can set it, so it is left alone
// where it is right.
const TRIGGERS = { session_replication_role: 'origin' }

/** Every setting that sessions of the gateway have, whatever the defaults are. */
export const pinned: Readonly<Record<string, string>> = { ...MEANING, ...LIMITS, ...TRIGGERS }

// Settings that Postgres 15 lacks.
const NEWER = ['restrict_nonsystem_relation_kind', 'transaction_timeout']

const CONNECTION = {
  // It pays for statements of seconds only, and made a list of 100 positions six times slower.
  jit: 'off',
  // Postgres notices within half a minute that a client's machine has vanished, and frees its
  // locks.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}

export interface SessionSettings {
  /** The time limit of a statement in milliseconds. 0 means none. */
  statement_timeout?: number
  /** The time limit for a lock in milliseconds. 0 means none. */
  lock_timeout?: number
  /** The settings of an extension of Postgres. */
  [ofExtension: `${string}.${string}`]: number
}

type SettingScope = 'SESSION' | 'LOCAL'

/**
 * The first statement of a session, or of a transaction. Poolers may reject the same settings as
 * connection parameters.
 */
export function sessionSql(
  settings: SessionSettings = {},
  scope: SettingScope = 'SESSION',
): string {
  const limits = Object.entries(settings).filter(([, value]) => value > 0)
  const sets = [...Object.entries(CONNECTION), ...limits].map(
    ([name, value]) => `SET ${scope} ${name} = ${value}`,
  )
  return [pinSql(scope), ...sets].join('; ')
}

/** Returns one statement that gives a session or a transaction the pinned settings. */
export function pinSql(scope: SettingScope, settings: SessionSettings = {}): string {
  const all = Object.entries({ ...pinned, ...settings })
  return `SELECT ${all.map(([name, value]) => pin(name, String(value), scope)).join(', ')}`
}

function pin(name: string, value: string, scope: SettingScope): string {
  const set = `set_config('${name}', '${value}', ${scope === 'LOCAL'})`
  if (NEWER.includes(name))
    return `CASE WHEN current_setting('${name}', true) IS NOT NULL THEN ${set} END`
  if (name in TRIGGERS) return `CASE WHEN current_setting('${name}') <> '${value}' THEN ${set} END`
  return set
}

/**
 * The settings of a session of another Postgres that give its values one form: its own SQL keeps
 * its search path.
 */
export const FORMS = [
  'DateStyle',
  'IntervalStyle',
  'TimeZone',
  'extra_float_digits',
  'bytea_output',
]
  .map((name) => `SET LOCAL ${name} = '${pinned[name]}'`)
  .join('; ')
