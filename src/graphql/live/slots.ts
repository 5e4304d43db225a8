import { GatewayError } from '../../errors.ts'

export interface SlotsOptions {
  name: string
  max: number
  maxPerClient?: ((client: string) => number) | undefined
  onFull?: (() => void) | undefined
}

/** Bounds how many of something clients have open, all together and each. */
export class Slots {
  readonly #options: SlotsOptions
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(options: SlotsOptions) {
    this.#options = options
  }

  get used(): number {
    return this.#used
  }

  /**
   * Takes a slot.
   * @returns frees it
   * @throws UNAVAILABLE if none is free, RATE_LIMITED if the client has used all of its slots
   */
  enter(client: string): () => void {
    const { name, max, maxPerClient, onFull } = this.#options
    if (this.#used >= max) {
      onFull?.()
      throw new GatewayError(
        'UNAVAILABLE',
        `The server has ${max} open ${name}, which is its limit. Try again later.`,
      )
    }
    const used = this.#usedBy.get(client) ?? 0
    if (used >= (maxPerClient?.(client) ?? max))
      throw new GatewayError(
        'RATE_LIMITED',
        `You have ${used} open ${name}, which is what one client may have. End one of them first.`,
      )
    this.#used++
    this.#usedBy.set(client, used + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#used--
      const others = (this.#usedBy.get(client) ?? 1) - 1
      if (others === 0) this.#usedBy.delete(client)
      else this.#usedBy.set(client, others)
    }
  }
}
