/** Texts by key that several gateways share for a few minutes. Losing one costs a recomputation, never a wrong answer. */
export interface Cache {
  /** The value; undefined where there is none, or the cache is away. */
  get(key: string): Promise<string | undefined>
  /** Stores a value if there is room for it and the cache is there. Nobody waits for it. */
  set(key: string, value: string): void
  /** @throws while the cache does not answer */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Redis where a URL is given; else nothing: what a gateway caches for itself, it caches at its edge. */
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
