import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { TickOutcome } from '../domain/distribution/attempts.ts'
import { readCron } from '../domain/distribution/cron.ts'
import { computeDue } from '../domain/distribution/daily.ts'
import { closeDeadRuns } from '../domain/distribution/run-record.ts'
import { pruneLedger } from '../domain/ledger/prune.ts'
import { settleDue } from '../domain/multiplier/settle.ts'
import { digestsDue } from '../domain/points/digest.ts'
import { closeSeasonsDue } from '../domain/season/close-seasons.ts'
import { updateDue } from '../domain/update/due.ts'
import { DAY_MS } from '../time.ts'

const MINUTE_MS = 60_000

type ScheduleDeps = Pick<
  Deps,
  | 'config'
  | 'log'
  | 'store'
  | 'basePoints'
  | 'keepsLedger'
  | 'positionsSource'
  | 'analytics'
  | 'maxPriceJump'
  | 'now'
>

export interface Schedule {
  close(): Promise<void>
}

interface ScheduleOptions {
  everyMs?: number
  /** Called after each look for what is due, with the name of the job: tests count them. */
  onLooked?(job: string): void
}

interface Job {
  name: string
  pattern: string | undefined
  due(tick: Date): Promise<TickOutcome>
}

/**
 * Runs now and every minute: marks runs whose process has died as failed, puts announced
 * multipliers in force when their date has come, computes missing digests, makes the boards of
 * ended seasons final, removes old entries of the ledger, and does what is due: distributions by
 * DISTRIBUTION_CRON, updates by ANALYTICS_CRON. Neither waits for the other. It reads the clock
 * each time, so clock changes and sleep do not matter.
 */
export function startSchedule(deps: ScheduleDeps, options: ScheduleOptions = {}): Schedule {
  const { everyMs = MINUTE_MS, onLooked } = options
  const { config, log, store, now } = deps
  const closing = new AbortController()
  const { signal } = closing
  const runDeps = { ...deps, pool: store.pool, signal }
  const settle = async () => {
    const settled = await settleDue(store.pool, now())
    if (settled > 0)
      log.info({ pools: settled }, 'announced multipliers are in force from today on')
  }
  const jobs: Job[] = [
    {
      name: 'distributions',
      pattern: config.DISTRIBUTION_CRON,
      async due(tick) {
        await settle()
        return computeDue({ ...runDeps, catchUp: config.DISTRIBUTION_CATCH_UP }, tick)
      },
    },
    { name: 'analytics', pattern: config.ANALYTICS_CRON, due: (tick) => updateDue(runDeps, tick) },
  ]

  const repeat = async (name: string, look: () => Promise<void>) => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'the job that runs every minute failed')
      })
      onLooked?.(name)
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const tidy = async () => {
    await closeDeadRuns(store.pool)
    await settle()
    await digestsDue(store.pool)
    const seasons = await closeSeasonsDue(store.pool, now())
    if (seasons.length > 0) log.info({ seasons }, 'the boards of these seasons are final')
    if (config.LEDGER_DAYS)
      await pruneLedger(store.pool, new Date(now().getTime() - config.LEDGER_DAYS * DAY_MS))
  }
  const running = [repeat('tidy', tidy)]
  for (const { name, pattern, due } of jobs) {
    if (pattern === undefined) continue
    const ticks = readCron(pattern)
    // The last tick that this gateway has completed.
    let completed: number | undefined
    const look = async () => {
      const tick = ticks.lastUntil(now())
      if (!tick || tick.getTime() === completed) return
      if ((await due(tick)) !== 'pending') completed = tick.getTime()
    }
    running.push(repeat(name, look))
  }
  return {
    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}
