import pTimeout from 'p-timeout'
import { createClient } from 'redis'
import type { PointCounter } from '../../point-counter.ts'

const PREFIX = 'gateway:points:'
const KEEP_SECONDS = 120
const TIMEOUT_MS = 100

const ADD = `
  local used = tonumber(redis.call('GET', KEYS[1]) or '0')
  if used + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return {used, 0} end
  redis.call('INCRBY', KEYS[1], ARGV[1])
  redis.call('EXPIRE', KEYS[1], ${KEEP_SECONDS})
  return {used, 1}`

/**
 * Counts points in Redis for all gateways. Fails at once if Redis is unreachable, and fast if it
 * does not answer.
 */
export function openRedisPointCounter(url: string): PointCounter & { close(): void } {
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
  return {
    async add(name, minute, points, limit) {
      if (!client.isReady) throw new Error('Redis cannot be reached')
      const script = client.eval(ADD, {
        keys: [`${PREFIX}${minute}:${name}`],
        arguments: [String(points), String(limit)],
      })
      const [used, added] = (await pTimeout(script, { milliseconds: TIMEOUT_MS })) as [
        number,
        number,
      ]
      return { used: Number(used), added: Number(added) === 1 }
    },
    close: () => client.destroy(),
  }
}
