import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 10

/** Lets other work of the process run in between, in a loop that could have it for long. */
export class Pacer {
  #since = performance.now()

  /** Resolves after other work, if this loop has run for some time. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return
    await nextTurn()
    this.#since = performance.now()
  }
}
