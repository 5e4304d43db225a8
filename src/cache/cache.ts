import { openMemoryCache } from './memory.ts'

/** Texts by key, kept as long as there is room. Losing one costs a recomputation, never a wrong answer: keys hold the data version. */
export interface Cache {
  /** The value; undefined where there is none, or the cache is away. */
  get(key: string): Promise<string | undefined>
  /** Never rejects: a cache that is away keeps nothing. */
  set(key: string, value: string): Promise<void>
  /** @throws while the cache cannot be reached */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Redis where a URL is given, else this process's memory, at most `maxBytes`. */
export async function openCache(options: {
  redisUrl: string | undefined
  maxBytes: number
  onError(error: Error): void
}): Promise<Cache> {
  if (!options.redisUrl) return openMemoryCache(options.maxBytes)
  const { openRedisCache } = await import('./redis.ts')
  return openRedisCache(options.redisUrl, options.onError)
}
