import { setTimeout as sleep } from 'node:timers/promises'
import { storeFault } from '../db/faults.ts'
import type { Deps } from '../deps.ts'
import { postpone, settle, type Taken, take } from './outbox.ts'
import type { Post } from './post.ts'

const LOOK_MS = 5000
const MAX_LOOK_MS = 60_000
const CLOCK_MS = 60_000
const AT_ONCE = 8
const CLOSING_MS = 2000

type SenderDeps = Pick<Deps, 'config' | 'log' | 'notifications' | 'now' | 'outage' | 'store'>

interface SenderOptions {
  lookMs?: number
  timeoutMs?: number
}

/**
 * Sends the messages of hooks, when a run has ended and every few seconds. Several gateways
 * share the work; each message is taken by one of them. A hook gets one message at a time.
 */
export function startHooks(deps: SenderDeps, options: SenderOptions = {}) {
  const { config, log, notifications, now, outage, store } = deps
  const { pool } = store
  const busy = new Map<string, Promise<void>>()
  const served = new Set<string>()
  let isClosing = false
  let wake = () => {}
  let post: Post | undefined
  let looked: string | undefined
  let clockLookedAt = 0

  // A wallet's values change with the data alone.
  const look = async () => {
    const { lookAtWallets, readState } = await import('./watch.ts')
    const state = await readState(pool)
    if (state !== undefined && state !== looked) await lookAtWallets(pool, now())
    looked = state
    const { lookAtClock } = await import('./clock.ts')
    const at = now().getTime()
    if (at - clockLookedAt < CLOCK_MS) return
    await lookAtClock(deps)
    clockLookedAt = at
  }
  const attempt = async (taken: Taken) => {
    post ??= (await import('./post.ts')).openPost(config.HOOKS_PRIVATE, options.timeoutMs)
    const error = await post.send(taken, now())
    if (error === undefined) return settle(pool, taken)
    const isDead = await postpone(pool, taken, { error, now: now() })
    const { hook, event, attempt } = taken
    log.warn({ hook, event, attempt, error }, isDead ? 'a hook was given up' : 'a hook failed')
  }
  // Failures in a row: the first is logged, and each pause is longer.
  const streak = () => {
    let failures = 0
    return {
      get pause() {
        return Math.min((options.lookMs ?? LOOK_MS) * 2 ** failures, MAX_LOOK_MS)
      },
      ended() {
        failures = 0
      },
      failed(err: unknown) {
        if (isClosing || failures++ > 0) return
        if (storeFault(err)?.code === 'UNAVAILABLE') outage.failed(err)
        else log.warn({ err }, 'messages of hooks cannot be sent')
      },
    }
  }
  const [sending, looking] = [streak(), streak()]
  // Hooks take turns: a slow receiver of many messages holds up no other.
  const takeNext = async () => {
    const taken = await take(pool, now(), [...busy.keys(), ...served])
    if (taken || served.size === 0) return taken
    served.clear()
    return take(pool, now(), [...busy.keys()])
  }
  const takeAll = async () => {
    while (!isClosing && busy.size < AT_ONCE) {
      const taken = await takeNext()
      sending.ended()
      if (!taken) return
      served.add(taken.hook)
      const done = attempt(taken)
        .catch(sending.failed)
        .finally(() => {
          busy.delete(taken.hook)
          wake()
        })
      busy.set(taken.hook, done)
    }
  }
  const repeat = async () => {
    while (!isClosing) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await look().then(looking.ended, looking.failed)
      await takeAll().catch(sending.failed)
      const timer = setTimeout(wake, sending.pause)
      if (!isClosing) await woken
      clearTimeout(timer)
    }
  }
  const unsubscribes = [
    notifications.subscribe('gateway_run', () => wake()),
    notifications.onUp(() => wake()),
  ]
  const running = repeat()
  return {
    /** Lets attempts in progress end for a while. An interrupted one is repeated. */
    async close() {
      isClosing = true
      for (const unsubscribe of unsubscribes) unsubscribe()
      wake()
      await running
      await Promise.race([Promise.all(busy.values()), sleep(CLOSING_MS, null, { ref: false })])
      await post?.close()
      await Promise.all(busy.values())
    },
  }
}
