import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { postpone, settle, type Taken, take } from './outbox.ts'
import type { Post } from './post.ts'

const LOOK_MS = 5000
const AT_ONCE = 8
const CLOSING_MS = 2000

type SenderDeps = Pick<Deps, 'config' | 'log' | 'notifications' | 'now' | 'store'>

interface SenderOptions {
  lookMs?: number
  timeoutMs?: number
}

/**
 * Sends what hooks are to be told, when a run has ended and every few seconds. Several gateways
 * share the work; each message is taken by one of them. A hook gets one message at a time.
 */
export function startHooks(deps: SenderDeps, options: SenderOptions = {}) {
  const { config, log, notifications, now, store } = deps
  const { pool } = store
  const busy = new Map<string, Promise<void>>()
  let isClosing = false
  let wake = () => {}
  let post: Post | undefined

  const attempt = async (taken: Taken) => {
    post ??= (await import('./post.ts')).openPost(config.HOOKS_PRIVATE, options.timeoutMs)
    const error = await post.send(taken, now())
    if (error === undefined) return settle(pool, taken)
    const isDead = await postpone(pool, taken, { error, now: now() })
    const { hook, event, attempt } = taken
    log.warn({ hook, event, attempt, error }, isDead ? 'a hook was given up' : 'a hook failed')
  }
  const failed = (err: unknown) => {
    if (!isClosing) log.warn({ err }, 'hooks could not be told')
  }
  const takeAll = async () => {
    while (!isClosing && busy.size < AT_ONCE) {
      const taken = await take(pool, now(), [...busy.keys()])
      if (!taken) return
      const done = attempt(taken)
        .catch(failed)
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
        const timer = setTimeout(resolve, options.lookMs ?? LOOK_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      await takeAll().catch(failed)
      if (!isClosing) await woken
    }
  }
  const unsubscribe = notifications.subscribe('gateway_run', () => wake())
  const running = repeat()
  return {
    /** Lets attempts in progress end for a while. An interrupted one is repeated. */
    async close() {
      isClosing = true
      unsubscribe()
      wake()
      await running
      await Promise.race([Promise.all(busy.values()), sleep(CLOSING_MS, null, { ref: false })])
      await post?.close()
      await Promise.all(busy.values())
    },
  }
}
