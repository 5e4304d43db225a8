/**
 * Every advisory lock that gateways take, by its key. Those with one number share a space per database; `run` has a
 * second number, the day.
 */
export const LOCKS = {
  /** In the database `postgres` of an embedded server: shared by all who use the server. */
  embeddedUsers: 7_014_001,
  /** In the same: held while the gateway's database is created. */
  embeddedCreate: 7_014_002,
  /** Held by the transaction that writes to the store. */
  writers: 7_014_010,
  /** Held by the run of a distribution date. */
  run: 7_014_011,
  /** Held by the gateway that does the daily job. */
  daily: 7_014_012,
  /** Held by the gateway that computes the ranks of past dates. */
  rankHistory: 7_014_013,
  /** Held by whoever migrates the store: the one that Prisma's engine takes. */
  migrate: 72_707_369,
} as const

/** How Postgres says that `lock_timeout` has passed. */
export const LOCK_NOT_AVAILABLE = '55P03'
