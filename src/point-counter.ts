import { LRUCache } from 'lru-cache'

const MAX_CLIENTS = 100_000

/** Counts the points of clients in the current minute. */
export interface PointCounter {
  /**
   * Adds points unless that would exceed `limit`.
   * @returns the points before, and whether they were added
   */
  add(client: string, minute: number, points: number, limit: number): Promise<Charge>
}

export interface Charge {
  added: boolean
  used: number
}

/** Counts points in the memory of this process. */
export class MemoryPointCounter {
  readonly #clients = new LRUCache<string, { minute: number; used: number }>({ max: MAX_CLIENTS })

  add(client: string, minute: number, points: number, limit: number): Charge {
    const cached = this.#clients.get(client)
    const entry = cached?.minute === minute ? cached : { minute, used: 0 }
    if (entry !== cached) this.#clients.set(client, entry)
    const { used } = entry
    const added = used + points <= limit
    if (added) entry.used += points
    return { added, used }
  }
}
