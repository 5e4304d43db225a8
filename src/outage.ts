import { setTimeout as sleep } from 'node:timers/promises'

interface OutageOptions {
  log: { warn(fields: object, message?: string): void }
  probe(): Promise<unknown>
}

const PROBE_MS = 1000

/**
 * Logs an outage of the store in two lines: its cause when it begins, and its length when it is
 * over.
 */
export class Outage {
  readonly #options: OutageOptions
  readonly #closing = new AbortController()
  #failures: number | undefined

  constructor(options: OutageOptions) {
    this.#options = options
  }

  get active(): boolean {
    return this.#failures !== undefined
  }

  failed(error: unknown, fields: object = {}): void {
    if (this.#closing.signal.aborted) return
    if (this.#failures !== undefined) {
      this.#failures++
      return
    }
    this.#failures = 1
    const { message, code } = error as { message?: string; code?: unknown }
    this.#options.log.warn(
      { cause: message || String(code ?? error), code, ...fields },
      'the store is away',
    )
    void this.#watch()
  }

  close(): void {
    this.#closing.abort()
  }

  async #watch(): Promise<void> {
    const { log, probe } = this.#options
    const { signal } = this.#closing
    const since = performance.now()
    while (!signal.aborted) {
      await sleep(PROBE_MS, undefined, { signal, ref: false }).catch(() => {})
      try {
        await probe()
        break
      } catch {
        // Still unreachable.
      }
    }
    const seconds = Math.round((performance.now() - since) / 100) / 10
    if (!signal.aborted) log.warn({ seconds, failures: this.#failures }, 'the store is back')
    this.#failures = undefined
  }
}
