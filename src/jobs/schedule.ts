import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { computeDue, type DailyDeps } from '../domain/distribution/daily.ts'
import { closeDeadRuns } from '../domain/distribution/run-record.ts'
import { readCron } from './cron.ts'

const MINUTE_MS = 60_000

type ScheduleDeps = Pick<Deps, 'config' | 'log' | 'store' | 'basePoints' | 'positionsSource' | 'maxPriceJump' | 'now'>

export interface Schedule {
  /** Stops what is running: it is rolled back. */
  close(): Promise<void>
}

/**
 * What a gateway does by itself, now and every minute: it records runs whose process has died as failed, and, where
 * DISTRIBUTION_CRON is set, computes the distributions that are due. It looks at the clock each time, so that a clock
 * that was set or a machine that slept makes no difference.
 */
export function startSchedule(deps: ScheduleDeps, { everyMs = MINUTE_MS } = {}): Schedule {
  const { config, log, store, now } = deps
  const closing = new AbortController()
  const { signal } = closing
  const ticks = config.DISTRIBUTION_CRON === undefined ? undefined : readCron(config.DISTRIBUTION_CRON)
  const daily: DailyDeps = { ...deps, pool: store.pool, catchUp: config.DISTRIBUTION_CATCH_UP, signal }
  /** The tick with which this gateway is through. */
  let settled: number | undefined

  const look = async () => {
    await closeDeadRuns(store.pool)
    const tick = ticks?.lastUntil(now())
    if (!tick || tick.getTime() === settled) return
    if ((await computeDue(daily, tick)) !== 'pending') settled = tick.getTime()
  }
  const run = async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'what is done every minute failed')
      })
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}
