import type { Cache } from './cache.ts'

/** Opens Redis if there is a URL. Without one, gateways only use their edge cache. */
export async function openCache(options: {
  redisUrl: string | undefined
  /** Called once for each outage. */
  onError(error: Error): void
}): Promise<Cache> {
  if (!options.redisUrl) return none
  const { openRedisCache } = await import('./redis.ts')
  return openRedisCache(options.redisUrl, options.onError)
}

const none: Cache = {
  get: async () => undefined,
  set() {},
  ping: async () => {},
  close: async () => {},
}
