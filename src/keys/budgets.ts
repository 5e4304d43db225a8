import type { Config } from '../config.ts'
import { type Budget, openCounters } from './counters.ts'
import type { StoredKey } from './key.ts'

const MINUTE = 60
const DAY = 86_400

/**
 * The points that keys have in a minute and in a day. Counters are opened for the first key, in
 * Redis if there is one.
 */
export function openBudgets({ RATE_LIMIT, REDIS_URL }: Pick<Config, 'RATE_LIMIT' | 'REDIS_URL'>) {
  let opened: ReturnType<typeof openCounters> | undefined
  return {
    /** The budgets of a key. RATE_LIMIT stands in for a limit by minute. */
    async of({
      id,
      perMinute,
      perDay,
    }: Pick<StoredKey, 'id' | 'perMinute' | 'perDay'>): Promise<Budget[]> {
      opened ??= openCounters(REDIS_URL)
      const { counterOf } = await opened
      const budget = (name: string, points: number | undefined, seconds: number): Budget[] =>
        points === undefined
          ? []
          : [{ name, client: id, points, seconds, counter: counterOf(name, seconds) }]
      return [
        ...budget('minute', perMinute ?? RATE_LIMIT, MINUTE),
        ...budget('day', perDay ?? undefined, DAY),
      ]
    },
    async close(): Promise<void> {
      if (opened) (await opened).close()
    },
  }
}
