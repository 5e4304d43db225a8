import type { Store } from '../db/store.ts'
import type { BasePoints } from '../domain/points/formula.ts'
import type { PositionsSource } from '../sources/positions-source.ts'

/** The resources that the graph needs. */
export interface GatewayDeps {
  store: Store
  basePoints: BasePoints
  /** Where manualupdate gets positions; undefined: none is configured. */
  positionsSource: PositionsSource | undefined
  log: Log
  now(): Date
}

/** What of the logger is used. */
export interface Log {
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
}
