import { unavailable } from '../faults.ts'
import { endOf, type ReadScope } from './scope.ts'

// The bounds of the queue. More reads would only be rejected later.
const MAX_WAITING = 500
const MAX_WAIT_MS = 10_000

interface Waiter {
  scope: ReadScope
  since: number
  resolve(): void
  reject(error: Error): void
}

/** Limits how many reads have a connection at a time. Others wait in a bounded queue. */
export class Lane {
  readonly #size: number
  #waiting: Waiter[] = []
  #busy = 0

  constructor(size: number) {
    this.#size = size
  }

  get waiting(): number {
    return this.#waiting.length
  }

  tryEnter(): boolean {
    if (this.#busy >= this.#size) return false
    this.#busy++
    return true
  }

  /**
   * Takes a slot as soon as one is free.
   * @throws UNAVAILABLE if the queue is full or the wait too long
   */
  async enter(scope: ReadScope): Promise<void> {
    if (this.tryEnter()) return
    if (this.#waiting.length >= MAX_WAITING) throw unavailable()
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ scope, since: performance.now(), resolve, reject })
    })
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next) next.resolve()
    else this.#busy--
  }

  sweep(now: number): void {
    this.#waiting = this.#waiting.filter(({ scope, since, reject }) => {
      const end = endOf(scope, now) ?? (now - since > MAX_WAIT_MS ? unavailable() : undefined)
      if (end) reject(end)
      return !end
    })
  }

  close(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable())
  }
}
