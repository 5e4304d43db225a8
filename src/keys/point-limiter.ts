import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'

const MAX_CLIENTS = 100_000

export interface PointLimit {
  points: number
  /** In seconds. */
  duration: number
}

/**
 * Counts points in the memory of this process. The library keeps each client and a timer until its
 * window ends, so many addresses could fill the memory: the clients seen longest ago are removed.
 */
export class BoundedRateLimiter extends RateLimiterMemory {
  readonly #clients: LRUCache<string, true>

  constructor(limit: PointLimit, max = MAX_CLIENTS) {
    super(limit)
    this.#clients = new LRUCache({ max, dispose: (_, client) => void this.delete(client) })
  }

  get size(): number {
    return this.#clients.size
  }

  override consume(client: string, points: number) {
    this.#clients.set(client, true)
    return super.consume(client, points)
  }
}
