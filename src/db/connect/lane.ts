import { unavailable } from '../faults.ts'
import { endOf, type ReadScope } from './scope.ts'

/** How many may wait, and for how long: more would only be refused later. */
const MAX_WAITING = 500
const MAX_WAIT_MS = 10_000

interface Waiter {
  scope: ReadScope
  since: number
  resolve(): void
  reject(error: Error): void
}

/** A limit on how many reads have a connection at a time. Others wait in the order in which they came, within bounds. */
export class Lane {
  readonly #size: number
  readonly #waiting = new Set<Waiter>()
  #busy = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Takes a slot if one is free. */
  tryEnter(): boolean {
    if (this.#busy >= this.#size) return false
    this.#busy++
    return true
  }

  /** Takes a slot as soon as one is free. @throws UNAVAILABLE when too many wait, or for too long */
  async enter(scope: ReadScope): Promise<void> {
    if (this.tryEnter()) return
    if (this.#waiting.size >= MAX_WAITING) throw unavailable()
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add({ scope, since: performance.now(), resolve, reject })
    })
  }

  /** Gives a slot back. */
  leave(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#busy--
      return
    }
    this.#waiting.delete(next)
    next.resolve()
  }

  /** Turns those away who have waited too long, or for whom nobody waits. */
  sweep(now: number): void {
    for (const waiter of this.#waiting) {
      const end = endOf(waiter.scope, now) ?? (now - waiter.since > MAX_WAIT_MS ? unavailable() : undefined)
      if (!end) continue
      this.#waiting.delete(waiter)
      waiter.reject(end)
    }
  }

  /** Turns away all who wait. */
  close(): void {
    for (const { reject } of this.#waiting) reject(unavailable())
    this.#waiting.clear()
  }
}
