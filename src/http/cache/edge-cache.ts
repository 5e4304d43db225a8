import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Notifications } from '../../db/connect/notifications.ts'
import type { Caller, DataVersions, Decision, Statement } from '../../db/connect/scope.ts'
import {
  answerOf,
  type CacheClient,
  type ComputedAnswer,
  type Encoding,
  type HttpAnswer,
  isNewEnough,
} from './answer.ts'
import type { SharedAnswers } from './shared-answers.ts'

/** Computes an answer, and may stop once no client waits for it. */
export type Compute = (caller: Caller) => Promise<ComputedAnswer>

interface EdgeCacheOptions {
  maxBytes: number
  notifications: Notifications
  shared: SharedAnswers | undefined
  now(): Date
}

const MAX_KEY = 2000
const ENTRY_BYTES = 1000

/** The cache key of a GET. Undefined if the URL is too long to cache. */
export const edgeKey = ({ url }: { url: string }): string | undefined =>
  url.length > MAX_KEY ? undefined : url

/**
 * Caches answers as bytes. Every committed change clears the cache, and while notifications of
 * changes cannot arrive, nothing is cached. An answer that was computed while a change arrived is
 * not cached either.
 */
export class EdgeCache {
  readonly now: () => Date
  readonly #notifications: Notifications
  readonly #shared: SharedAnswers | undefined
  readonly #answers: LRUCache<string, HttpAnswer> | undefined
  readonly #pending = new Map<string, PendingAnswer>()
  #changes = 0

  constructor({ maxBytes, notifications, shared, now }: EdgeCacheOptions) {
    this.now = now
    this.#notifications = notifications
    this.#shared = shared
    const sizeCalculation = (answer: HttpAnswer, key: string) => {
      const { br, gzip } = answer.compressed
      const texts = [answer.body, answer.link, br, gzip, key]
      return texts.reduce((sum, text) => sum + (text?.length ?? 0), ENTRY_BYTES)
    }
    if (maxBytes > 0) this.#answers = new LRUCache({ maxSize: maxBytes, sizeCalculation })
    notifications.subscribe('gateway_data', () => this.clear())
    notifications.onUp(() => this.clear())
    notifications.onDown(() => this.clear())
  }

  clear(): void {
    this.#changes++
    this.#shared?.forgetState()
    this.#answers?.clear()
    this.#pending.clear()
  }

  get size(): { answers: number; bytes: number } {
    return { answers: this.#answers?.size ?? 0, bytes: this.#answers?.calculatedSize ?? 0 }
  }

  /** True if changes of the data are notified. While they may be missed, nothing is cached. */
  get isNotified(): boolean {
    return performance.now() < this.#notifications.connectedUntil
  }

  /** The cached answer of a key, if it is of a data version or newer. */
  find(key: string, minVersion?: number): HttpAnswer | undefined {
    const answer = this.isNotified ? this.#answers?.get(key) : undefined
    return answer && isNewEnough(answer, minVersion) ? answer : undefined
  }

  /**
   * Returns the answer of a key from this cache or the shared one, or computes it, once for all
   * concurrent requests.
   * @param client the request, in which the cache notes what it did. An answer that no client waits
   * for any more is abandoned
   */
  answer(key: string | undefined, compute: Compute, client: CacheClient): Promise<HttpAnswer> {
    if (key === undefined || !(this.#answers || this.#shared)) {
      const pending = new PendingAnswer(client)
      return pending.compute(compute).then((computed) => answerOf(undefined, computed))
    }
    const { minVersion, bypassesCache } = client
    // While changes may be missed, an answer that is computed may predate the last change.
    if (!bypassesCache && this.isNotified) {
      const cached = this.find(key, minVersion)
      if (cached) {
        client.cache = 'hit'
        return Promise.resolve(cached)
      }
      const pending = this.#pending.get(key)
      if (pending?.suits(client)) {
        client.cache = 'joined'
        return pending.join(client)
      }
    }
    client.cache = bypassesCache ? 'bypass' : 'miss'
    const pending = new PendingAnswer(client)
    this.#pending.set(key, pending)
    pending.answer = this.#compute(key, compute, pending, client)
    return pending.answer
  }

  async #compute(
    key: string,
    compute: Compute,
    pending: PendingAnswer,
    client: CacheClient,
  ): Promise<HttpAnswer> {
    const changes = this.#changes
    if (!this.isNotified) this.#shared?.forgetState()
    try {
      const computed = this.#shared
        ? await this.#shared.answer(key, () => pending.compute(compute), client)
        : await pending.compute(compute)
      const answer = answerOf(key, computed)
      if (answer.key !== undefined && changes === this.#changes && this.isNotified) {
        answer.body = unpooled(answer.body)
        this.#answers?.set(key, answer)
      }
      return answer
    } finally {
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
  }

  async compressed(answer: HttpAnswer, encoding: Encoding): Promise<Buffer> {
    const cached = answer.compressed[encoding]
    if (cached) return cached
    const bytes = encoding === 'br' ? await brotli(answer.body, BROTLI) : await gzipped(answer.body)
    answer.compressed[encoding] = bytes
    if (answer.key !== undefined && this.find(answer.key) === answer) {
      // Setting it alone would leave its size.
      this.#answers?.delete(answer.key)
      this.#answers?.set(answer.key, answer)
    }
    return bytes
  }
}

// An answer that is being computed, for all clients that request it in the meantime.
class PendingAnswer implements Caller {
  readonly #clients: Caller[]
  readonly minVersion: number | undefined
  answer!: Promise<HttpAnswer>
  #versions: DataVersions | undefined

  constructor(client: Caller) {
    this.#clients = [client]
    this.minVersion = client.minVersion
  }

  suits({ minVersion = 0 }: Caller): boolean {
    return !this.aborted && (this.minVersion ?? 0) >= minVersion
  }

  join(client: Caller): Promise<HttpAnswer> {
    this.#clients.push(client)
    return this.answer
  }

  async compute(compute: Compute): Promise<ComputedAnswer> {
    return { ...(await compute(this)), versions: this.#versions }
  }

  // The statements and decisions are those of the first client.
  onStatement(statement: Statement): void {
    this.#clients[0]?.onStatement?.(statement)
  }

  onDecision(decision: Decision, choice: string): void {
    this.#clients[0]?.onDecision?.(decision, choice)
  }

  onVersions(versions: DataVersions): void {
    this.#versions = versions
  }

  onQueued(): void {
    for (const client of this.#clients) client.onQueued?.()
  }

  get aborted(): boolean {
    return this.#clients.every(({ aborted }) => aborted)
  }
}

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

// Copies a small buffer: it would pin Node's shared slab of 8 KiB.
function unpooled(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
