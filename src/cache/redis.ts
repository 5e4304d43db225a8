import { createClient } from 'redis'
import type { Cache } from './cache.ts'

const PREFIX = 'gateway:answer:'
const KEEP_SECONDS = 3600
const PATIENCE_MS = 250

/** A cache that several gateways share. While Redis is away nothing waits for it and nothing is kept; it reconnects by itself. */
export async function openRedisCache(url: string, onError: (error: Error) => void): Promise<Cache> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2000, reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), 5000) },
  })
  let down = false
  client.on('error', (error: Error) => {
    if (!down) onError(error)
    down = true
  })
  client.on('ready', () => {
    down = false
  })
  // Not awaited: a gateway starts without its cache.
  client.connect().catch(() => {})

  return {
    get: async (key) => {
      if (!client.isReady) return undefined
      return (await within(PATIENCE_MS, client.get(PREFIX + key)).catch(() => undefined)) ?? undefined
    },
    set: async (key, value) => {
      if (!client.isReady) return
      await within(
        PATIENCE_MS,
        client.set(PREFIX + key, value, { expiration: { type: 'EX', value: KEEP_SECONDS } }),
      ).catch(() => {})
    },
    ping: async () => {
      if (!client.isReady) throw new Error('Redis cannot be reached')
      await within(2000, client.ping())
    },
    close: async () => client.destroy(),
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
