import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { readCron } from '../domain/distribution/cron.ts'
import { computeDue, type DailyDeps } from '../domain/distribution/daily.ts'
import { closeDeadRuns } from '../domain/distribution/run-record.ts'
import { settleDue } from '../domain/multiplier/settle.ts'

const MINUTE_MS = 60_000

type ScheduleDeps = Pick<Deps, 'config' | 'log' | 'store' | 'basePoints' | 'positionsSource' | 'maxPriceJump' | 'now'>

export interface Schedule {
  /** Stops the current run, which is rolled back. */
  close(): Promise<void>
}

/**
 * Runs now and every minute: marks runs whose process has died as failed, puts announced multipliers
 * in force when their date has come and, if DISTRIBUTION_CRON is set, computes the
 * distributions that are due. It reads the clock each time, so clock changes and sleep do not matter.
 */
export function startSchedule(deps: ScheduleDeps, { everyMs = MINUTE_MS } = {}): Schedule {
  const { config, log, store, now } = deps
  const closing = new AbortController()
  const { signal } = closing
  const ticks = config.DISTRIBUTION_CRON === undefined ? undefined : readCron(config.DISTRIBUTION_CRON)
  const daily: DailyDeps = { ...deps, pool: store.pool, catchUp: config.DISTRIBUTION_CATCH_UP, signal }
  /** The last tick that this gateway has completed. */
  let completed: number | undefined

  const look = async () => {
    await closeDeadRuns(store.pool)
    const settled = await settleDue(store.pool, now())
    if (settled > 0) log.info({ pools: settled }, 'announced multipliers are in force from today on')
    const tick = ticks?.lastUntil(now())
    if (!tick || tick.getTime() === completed) return
    if ((await computeDue(daily, tick)) !== 'pending') completed = tick.getTime()
  }
  const run = async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'the job that runs every minute failed')
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
