import type { Store } from '../db/connect/store.ts'
import type { BasePoints } from '../domain/points/formula.ts'
import type { Log } from '../log.ts'
import type { PositionsSource } from '../sources/index.ts'
import type { Live } from './live/live.ts'
import type { Limits } from './policy/limits.ts'

export interface GatewayDeps {
  config: {
    DISTRIBUTION_CRON?: string | undefined
    ANALYTICS_CRON?: string | undefined
    HOOKS_PRIVATE?: boolean
  }
  store: Store
  basePoints: BasePoints
  /** False if runs write no entries of the ledger. */
  keepsLedger?: boolean
  positionsSource: PositionsSource | undefined
  /** The maximum factor between a token's prices on consecutive dates. */
  maxPriceJump: number
  log: Log
  /** Called when an operation fails because the store is unreachable. */
  onAway?(error: Error): void
  /**
   * The source of subscription events. Undefined if subscriptions are off, as on the command line.
   */
  live?: Live
  /** The limits reported to clients. Undefined if there are none, as on the command line. */
  limits?: Limits
  now(): Date
}
