/** Texts by key that several gateways share for a few minutes. Losing one only costs a recomputation. */
export interface Cache {
  /** The value. Undefined if there is none or the cache is unreachable. */
  get(key: string): Promise<string | undefined>
  /** Stores a value in the background, if there is room and the cache is reachable. */
  set(key: string, value: string): void
  /** @throws while the cache does not answer */
  ping(): Promise<void>
  close(): Promise<void>
}

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

const none: Cache = { get: async () => undefined, set() {}, ping: async () => {}, close: async () => {} }
