import { whileLocked } from '../db/connect/lock.ts'
import { LOCKS } from '../db/locks.ts'
import type { Deps } from '../deps.ts'
import { rebuildRankHistory } from '../domain/points/rebuild-rank-history.ts'

// Runs come in series: rank history waits for the last of them.
const PAUSE_MS = 1000
const RETRY_MS = 60_000

/**
 * Keeps the ranks of past dates up to date in the background: at the start, and after each run of
 * any gateway. Only one gateway on a store does so at a time.
 */
export function startRankHistory({ store, notifications, log }: Deps): { close(): Promise<void> } {
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let work = Promise.resolve()
  const rebuild = async () => {
    try {
      let dates = 0
      await whileLocked(store.pool, LOCKS.rankHistory, async () => {
        dates = await rebuildRankHistory(store.pool, closing.signal)
      })
      if (dates > 0) log.info({ dates }, 'computed the ranks of past dates')
    } catch (error) {
      if (closing.signal.aborted) return
      log.warn(
        { err: error },
        'the ranks of past dates could not be computed, trying again in a minute',
      )
      rebuildIn(RETRY_MS)
    }
  }
  const rebuildIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      work = work.then(rebuild)
    }, ms).unref()
  }
  const soon = () => rebuildIn(PAUSE_MS)
  const ended = [notifications.subscribe('gateway_run', soon), notifications.onUp(soon)]
  soon()
  return {
    async close() {
      closing.abort()
      clearTimeout(timer)
      for (const end of ended) end()
      await work
    },
  }
}
