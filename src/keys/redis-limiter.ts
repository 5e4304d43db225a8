import pTimeout from 'p-timeout'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { BoundedRateLimiter, type PointLimit } from './point-limiter.ts'

const TIMEOUT_MS = 100
const AWAY_MS = 2000

/**
 * Counts points in Redis for all gateways, or in memory while Redis does not answer at once.
 */
export function openRedisLimiters(url: string) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 1000,
    socket: {
      connectTimeout: 2000,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), 5000),
    },
  })
  // The cache, on the same Redis, reports errors.
  client.on('error', () => {})
  client.connect().catch(() => {})
  let awayUntil = 0
  const patient = {
    get isReady() {
      return client.isReady && performance.now() >= awayUntil
    },
    multi: () => client.multi(),
    async eval(...script: Parameters<typeof client.eval>) {
      try {
        return await pTimeout(client.eval(...script), { milliseconds: TIMEOUT_MS })
      } catch (error) {
        awayUntil = performance.now() + AWAY_MS
        throw error
      }
    },
  }
  const limiter = (limit: PointLimit, keyPrefix: string) =>
    new RateLimiterRedis({
      ...limit,
      storeClient: patient,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      keyPrefix,
      insuranceLimiter: new BoundedRateLimiter(limit),
    })
  return { limiter, close: () => client.destroy() }
}
