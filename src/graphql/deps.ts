import type { Store } from '../db/connect/store.ts'
import type { BasePoints } from '../domain/points/formula.ts'
import type { PositionsSource } from '../sources/positions/positions-source.ts'
import type { Live } from './live/live.ts'
import type { Limits } from './policy/limits.ts'

/** The resources that the graph needs. */
export interface GatewayDeps {
  store: Store
  basePoints: BasePoints
  /** Where manualupdate gets positions; undefined: none is configured. */
  positionsSource: PositionsSource | undefined
  /** How many times a token's price may be, or be a fraction of, what it was on the date before. */
  maxPriceJump: number
  log: Log
  /** Called when an operation fails because the store is away. */
  onAway?(error: Error): void
  /** What subscriptions live on; undefined: nobody can subscribe, as on the command line. */
  live?: Live
  /** What clients are told of the limits; undefined: there are none, as on the command line. */
  limits?: Limits
  now(): Date
}

/** What of the logger is used. */
export interface Log {
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
}
