import type { Cache } from '../../cache/cache.ts'
import { type CacheClient, type ComputedAnswer, isNewEnough } from './answer.ts'

interface SharedAnswersOptions {
  cache: Cache
  release: string
  /** Identifies the state of the data that a read started now would see. */
  dataState(): Promise<string>
}

/** Answers that gateways of one release share in Redis, each for one state of the data. */
export class SharedAnswers {
  readonly #options: SharedAnswersOptions
  #state: Promise<string> | undefined

  constructor(options: SharedAnswersOptions) {
    this.#options = options
  }

  forgetState(): void {
    this.#state = undefined
  }

  /** The shared answer of a key, or else the computed one, which is shared. */
  async answer(
    key: string,
    compute: () => Promise<ComputedAnswer>,
    client: CacheClient,
  ): Promise<ComputedAnswer> {
    const { cache, release } = this.#options
    if (client.bypassesCache) this.forgetState()
    const state = await this.#currentState()
    const sharedKey = `answer ${release} ${state} ${key}`
    const text = client.bypassesCache ? undefined : await cache.get(sharedKey)
    const shared = text === undefined ? undefined : (JSON.parse(text) as ComputedAnswer)
    if (shared && isNewEnough(shared, client.minVersion)) {
      client.cache = 'shared'
      return shared
    }
    const computed = await compute()
    if (computed.etag === undefined) void this.#share(sharedKey, state, computed)
    return computed
  }

  // Shares an answer if the data did not change while it was computed.
  async #share(key: string, state: string, computed: ComputedAnswer): Promise<void> {
    const now = await this.#options.dataState().catch(() => undefined)
    if (now === state) this.#options.cache.set(key, JSON.stringify(computed))
  }

  #currentState(): Promise<string> {
    if (this.#state) return this.#state
    const requested = this.#options.dataState()
    this.#state = requested
    requested.catch(() => {
      if (this.#state === requested) this.forgetState()
    })
    return requested
  }
}
