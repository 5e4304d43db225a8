/** Texts by key that several gateways share, kept as long as there is room. Losing one costs a recomputation, never a wrong answer: keys hold the data version. */
export interface Cache {
  /** The value; undefined where there is none, or the cache is away. */
  get(key: string): Promise<string | undefined>
  /** Never rejects: a cache that is away keeps nothing. */
  set(key: string, value: string): Promise<void>
  /** @throws while the cache cannot be reached */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Redis where a URL is given; else none, for what a gateway keeps for itself is kept at its edge. */
export async function openCache(options: {
  redisUrl: string | undefined
  onError(error: Error): void
}): Promise<Cache> {
  if (!options.redisUrl) return none
  const { openRedisCache } = await import('./redis.ts')
  return openRedisCache(options.redisUrl, options.onError)
}

const none: Cache = { get: async () => undefined, set: async () => {}, ping: async () => {}, close: async () => {} }
