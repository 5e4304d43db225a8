import { LRUCache } from 'lru-cache'
import type { Cache } from './cache.ts'

/** A cache in this process, bounded in bytes. */
export function openMemoryCache(maxBytes: number): Cache {
  // Two bytes a character at the most, and what an entry costs beside its text.
  const sizeCalculation = (value: string, key: string) => 2 * (value.length + key.length) + 200
  const entries = maxBytes > 0 ? new LRUCache<string, string>({ maxSize: maxBytes, sizeCalculation }) : undefined
  return {
    get: async (key) => entries?.get(key),
    set: async (key, value) => {
      entries?.set(key, value)
    },
    ping: async () => {},
    close: async () => entries?.clear(),
  }
}
