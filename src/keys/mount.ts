import type { FastifyInstance } from 'fastify'
import pLimit from 'p-limit'
import pTimeout from 'p-timeout'
import type { Deps } from '../deps.ts'
import { adminCheck } from './admin.ts'
import type { Budget } from './counters.ts'
import { listKeys, type StoredKey, shownKey, stateOf } from './key.ts'

const DAY_MS = 86_400_000
const COUNTS_AT_ONCE = 100
const COUNTS_MS = 1000

interface Uses {
  /** The last use that is not stored yet. */
  lastUse(id: string): Date | undefined
  budgetsOf(key: StoredKey): Promise<Budget[]>
}

/** Serves `GET /keys` to admins: all keys without their secrets, and what they have used. */
export function mountKeys(
  app: FastifyInstance,
  { config, store, now }: Pick<Deps, 'config' | 'now' | 'store'>,
  { lastUse, budgetsOf }: Uses,
): void {
  const adminOf = adminCheck(config)
  const limit = pLimit(COUNTS_AT_ONCE)
  app.get('/keys', {
    onRequest: async ({ headers }, reply) => {
      reply.header('cache-control', 'no-store')
      adminOf(headers)
    },
    handler: async () => {
      const time = now()
      const stored = await listKeys(store.pool)
      const listed = stored.map(async (key) => {
        const lastUsedAt = lastUse(key.id) ?? key.lastUsedAt
        const isRecent = lastUsedAt !== null && time.getTime() - lastUsedAt.getTime() < DAY_MS
        const budgets = isRecent ? await budgetsOf(key) : []
        const used = await Promise.all(
          budgets.map(async (budget) => [budget.name, await limit(() => usedOf(budget))]),
        )
        const { minute: usedInMinute = null, day: usedInDay = null } = Object.fromEntries(used)
        return {
          ...shownKey(key),
          ...{ state: stateOf(key, time), lastUsedAt, usedInMinute, usedInDay },
        }
      })
      return { keys: await Promise.all(listed) }
    },
  })
}

// Null if it cannot be counted now.
const usedOf = ({ counter, client }: Budget): Promise<number | null> =>
  pTimeout(counter.get(client), { milliseconds: COUNTS_MS }).then(
    (used) => used?.consumedPoints ?? 0,
    () => null,
  )
