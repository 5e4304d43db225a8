/**
 * All advisory locks that gateways take. Locks with one number share a key space per database;
 * `run` has the day as a second number.
 */
export const LOCKS = {
  /** Shared by all users of an embedded server, in its database `postgres`. */
  embeddedUsers: 7_014_001,
  /** Taken while the gateway's database is created, in the same database. */
  embeddedCreate: 7_014_002,
  /** Taken by the transaction that writes to the store. */
  writers: 7_014_010,
  /** Taken by the run of a distribution date. */
  run: 7_014_011,
  /** Taken by the gateway that runs the daily job. */
  daily: 7_014_012,
  /** Taken by the gateway that runs the updates. */
  updates: 7_014_014,
  /** Taken by the gateway that computes the ranks of past dates. */
  rankHistory: 7_014_013,
  /** Taken while migrations run, by the gateway and by Prisma's engine. */
  migrate: 72_707_369,
} as const

/** The SQLSTATE of a `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'
