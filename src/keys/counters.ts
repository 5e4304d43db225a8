import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { PointLimit } from './point-limiter.ts'

// Budgets have the limits: a counter has clients with different ones.
const UNLIMITED = 2 ** 50

/** The points that a client has used in the current window. */
export interface Spent {
  consumedPoints: number
  msBeforeNext: number
}

interface PointCounter {
  consume(client: string, points: number): Promise<Spent>
  /** Gives points back, for a request that is refused. */
  reward(client: string, points: number): Promise<Spent>
  /** Takes them again, if they were of a window that has ended. */
  penalty(client: string, points: number): Promise<Spent>
  get(client: string): Promise<Spent | null>
}

/** The points that a client has in a window of time. Infinity: they are only counted. */
export interface Budget {
  name: string
  client: string
  points: number
  seconds: number
  counter: PointCounter
}

interface Counters {
  /** The counter of a name, which has one window of time. */
  counterOf(name: string, seconds: number): RateLimiterAbstract
  close(): void
}

/** Opens counters of points: in Redis if there is one, else in memory. */
export async function openCounters(redisUrl: string | undefined): Promise<Counters> {
  const { BoundedRateLimiter } = await import('./point-limiter.ts')
  const counters = new Map<string, RateLimiterAbstract>()
  const redis =
    redisUrl === undefined
      ? undefined
      : (await import('./redis-limiter.ts')).openRedisLimiters(redisUrl)
  const open = (name: string, limit: PointLimit) =>
    redis ? redis.limiter(limit, `gateway:${name}`) : new BoundedRateLimiter(limit)
  return {
    counterOf(name, seconds) {
      const counter = counters.get(name) ?? open(name, { points: UNLIMITED, duration: seconds })
      counters.set(name, counter)
      return counter
    },
    close: () => redis?.close(),
  }
}
