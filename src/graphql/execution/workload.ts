import type { Caller } from '../../db/connect/scope.ts'
import { GatewayError } from '../../errors.ts'
import { Busy } from './errors.ts'

// Operations up to this part of the capacity are small: they never wait for large ones.
const SMALL_PART = 0.02
const MAX_WAITING = 1000
const MAX_WAIT_MS = 5000
const SWEEP_MS = 100

const CAPACITY = 100_000

interface WaitingOperation {
  cost: number
  caller: Caller | undefined
  since: number
  start(): void
  refuse(error: GatewayError): void
}

/**
 * Bounds the sum of the costs of large operations in progress: together they may cost what one
 * operation may. The others wait in a bounded queue. Small operations are not counted, so that
 * large ones leave them their share.
 */
export class Workload {
  readonly #capacity: number
  readonly #small: number
  #waiting: WaitingOperation[] = []
  #cost = 0
  #timer: NodeJS.Timeout | undefined

  /** @param maxCost the limit of the cost of one operation. Null means no limit */
  constructor(maxCost: number | null) {
    this.#capacity = maxCost ?? CAPACITY
    this.#small = this.#capacity * SMALL_PART
  }

  get state(): { cost: number; waiting: number } {
    return { cost: this.#cost, waiting: this.#waiting.length }
  }

  isLarge(cost: number): boolean {
    return cost > this.#small
  }

  run<T>(cost: number, caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
    return this.isLarge(cost) ? this.#runLarge(cost, caller, work) : work()
  }

  async #runLarge<T>(cost: number, caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
    const counted = Math.min(cost, this.#capacity)
    await this.#enter(counted, caller)
    try {
      return await work()
    } finally {
      this.#cost -= counted
      this.#startNext()
    }
  }

  async #enter(cost: number, caller: Caller | undefined): Promise<void> {
    caller?.onQueued?.()
    if (this.#waiting.length === 0 && this.#fits(cost)) {
      this.#cost += cost
      return
    }
    if (this.#waiting.length >= MAX_WAITING) throw new Busy()
    await new Promise<void>((start, refuse) => {
      this.#waiting.push({ cost, caller, since: performance.now(), start, refuse })
      this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
    })
  }

  #fits(cost: number): boolean {
    return this.#cost + cost <= this.#capacity
  }

  #startNext(): void {
    for (let [next] = this.#waiting; next && this.#fits(next.cost); [next] = this.#waiting) {
      this.#waiting.shift()
      if (next.caller?.aborted) {
        next.refuse(gone())
        continue
      }
      this.#cost += next.cost
      next.start()
    }
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const now = performance.now()
    this.#waiting = this.#waiting.filter(({ caller, since, refuse }) => {
      if (caller?.aborted) refuse(gone())
      else if (now - since > MAX_WAIT_MS) refuse(new Busy())
      else return true
      return false
    })
    this.#startNext()
  }
}

const gone = () => new GatewayError('UNAVAILABLE', 'The client has gone.')
