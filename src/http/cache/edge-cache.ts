import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Cache } from '../../cache/cache.ts'
import type { Notifications } from '../../db/connect/notifications.ts'
import type { Cancellation } from '../../db/connect/scope.ts'
import { REQUEST_TIME } from '../../rest/body.ts'

/** An answer as it is sent. */
export interface Answer {
  /** Undefined: it is not kept. */
  key: string | undefined
  status: number
  type: string
  body: Buffer
  /** Where in the body the time of the request is written, over REQUEST_TIME. */
  timeAt?: number
  etag: string
  /** The value of its `link` header. */
  link?: string | undefined
  /** The body compressed, where that was asked for and has been done. */
  compressed: Partial<Record<Encoding, Buffer>>
}

export type Encoding = 'br' | 'gzip'

/** What a miss computes. */
export interface Computed {
  status: number
  json: string
  /** Whether REQUEST_TIME is in it. */
  timed?: boolean | undefined
  /** The value of the answer's `link` header. */
  link?: string | undefined
  /** The weak ETag of an answer that carries the time of its request, which is not kept. */
  etag?: string
}

/** What the answer to a GET is kept under; undefined: the URL is too long to keep. */
export function edgeKey({ url }: { url: string }): string | undefined {
  return url.length > MAX_KEY ? undefined : url
}

const MAX_KEY = 2000

/** Computes an answer, for as long as somebody waits for it. */
export type Compute = (cancellation: Cancellation) => Promise<Computed>

/**
 * Whether a client takes no kept answer: the store tells of a change within a moment, which may be too late for it. With
 * a condition it is what fetch adds by itself, and says nothing.
 */
export function asksAnew(headers: IncomingHttpHeaders): boolean {
  const given = headers['cache-control']
  return given !== undefined && headers['if-none-match'] === undefined && /\bno-(cache|store)\b/i.test(given)
}

export interface EdgeCacheOptions {
  maxBytes: number
  notifications: Notifications
  /** A second level for several gateways, and the release whose answers this one may give; undefined: there is none. */
  shared: { cache: Cache; release: string } | undefined
  /** Names the state of the data that a read started now would see. */
  historyPoint(): Promise<string>
  now(): Date
}

const TYPE = 'application/json; charset=utf-8'
const ENTRY_BYTES = 500
/** What a shorter body would save is not worth its making. */
const COMPRESS_FROM = 1024

/** Whether an answer is sent compressed to those who accept it: one that is not kept would be compressed each time. */
export const isCompressible = ({ key, body, timeAt }: Answer): boolean =>
  key !== undefined && timeAt === undefined && body.length >= COMPRESS_FROM

/** An answer that is being computed, for all who asked for it meanwhile. */
class Flight implements Cancellation {
  readonly #clients: Cancellation[] = []
  answer!: Promise<Answer>

  join(client: Cancellation): this {
    this.#clients.push(client)
    return this
  }

  /** Whether all who asked have gone. */
  get aborted(): boolean {
    return this.#clients.every(({ aborted }) => aborted)
  }
}

/**
 * Answers as ready bytes. The store tells of every change as it is committed, and all answers are forgotten then; while
 * it cannot be heard, nothing is kept. What is computed while a change comes in is not kept either.
 */
export class EdgeCache {
  readonly #options: EdgeCacheOptions
  readonly #answers: LRUCache<string, Answer> | undefined
  readonly #flights = new Map<string, Flight>()
  #historyPoint: Promise<string> | undefined
  /** Counts the changes of the data. */
  #epoch = 0

  constructor(options: EdgeCacheOptions) {
    this.#options = options
    const sizeCalculation = ({ body, link = '', compressed: { br, gzip } }: Answer, key: string) =>
      body.length + link.length + (br?.length ?? 0) + (gzip?.length ?? 0) + 2 * key.length + ENTRY_BYTES
    this.#answers = options.maxBytes > 0 ? new LRUCache({ maxSize: options.maxBytes, sizeCalculation }) : undefined
    const { notifications } = options
    notifications.subscribe('gateway_data', () => this.forget())
    notifications.onUp(() => this.forget())
    notifications.onDown(() => this.forget())
  }

  /** Forgets everything: the data has changed, or may have. */
  forget(): void {
    this.#epoch++
    this.#historyPoint = undefined
    this.#answers?.clear()
    this.#flights.clear()
  }

  /** The answer that is kept under a key. */
  find(key: string): Answer | undefined {
    return this.#options.notifications.connected ? this.#answers?.get(key) : undefined
  }

  /**
   * The answer under a key: kept, shared, or computed, once for all who ask for it at the same time.
   * @param client says when the one who asks has gone: an answer that nobody waits for is not computed to its end
   * @param anew computed, whatever is kept
   */
  async answer(key: string | undefined, compute: Compute, client: Cancellation, anew = false): Promise<Answer> {
    const { notifications, shared } = this.#options
    if (key === undefined || !(this.#answers || shared)) return answerOf(undefined, await compute(client))
    // While changes may be missed, an answer that is being computed may be from before the last one.
    const known = anew || !notifications.connected ? undefined : (this.find(key) ?? this.#flights.get(key))
    if (known instanceof Flight) {
      if (!known.aborted) return known.join(client).answer
    } else if (known) return known
    const epoch = this.#epoch
    const flight = new Flight().join(client)
    flight.answer = this.#compute(key, () => compute(flight), anew)
    this.#flights.set(key, flight)
    try {
      const answer = await flight.answer
      if (answer.key !== undefined && epoch === this.#epoch && notifications.connected) this.#answers?.set(key, answer)
      return answer
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
  }

  /** The body as it is sent now. */
  told({ body, timeAt }: Answer): Buffer {
    if (timeAt === undefined) return body
    const told = Buffer.from(body)
    told.write(this.#options.now().toISOString(), timeAt, 'latin1')
    return told
  }

  /** The body as it is sent to a client that accepts an encoding: compressed once for as long as the answer is kept. */
  async compressed(answer: Answer, encoding: Encoding): Promise<Buffer> {
    const known = answer.compressed[encoding]
    if (known) return known
    const bytes = encoding === 'br' ? await brotli(answer.body, BROTLI) : await gzipped(answer.body)
    answer.compressed[encoding] = bytes
    // Set anew, for it is larger now.
    if (answer.key !== undefined && this.find(answer.key) === answer) this.#answers?.set(answer.key, answer)
    return bytes
  }

  async #compute(key: string, compute: () => Promise<Computed>, anew: boolean): Promise<Answer> {
    const { shared } = this.#options
    if (!shared) return answerOf(key, await compute())
    if (anew) this.#historyPoint = undefined
    const point = await this.#currentPoint()
    const sharedKey = `answer ${shared.release} ${point} ${key}`
    const known = anew ? undefined : await shared.cache.get(sharedKey)
    if (known !== undefined) return answerOf(key, JSON.parse(known) as Computed)
    const computed = await compute()
    if (computed.etag === undefined) void this.#share(shared.cache, sharedKey, point, computed)
    return answerOf(key, computed)
  }

  /** Shares an answer that was computed between two looks at one history point, and so belongs to it. */
  async #share(cache: Cache, key: string, point: string, computed: Computed): Promise<void> {
    const now = await this.#options.historyPoint().catch(() => undefined)
    if (now === point) cache.set(key, JSON.stringify(computed))
  }

  #currentPoint(): Promise<string> {
    if (!this.#options.notifications.connected) return this.#options.historyPoint()
    if (!this.#historyPoint) {
      const requested = this.#options.historyPoint()
      this.#historyPoint = requested
      requested.catch(() => {
        if (this.#historyPoint === requested) this.#historyPoint = undefined
      })
    }
    return this.#historyPoint
  }
}

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

function answerOf(key: string | undefined, { status, json, timed, link, etag: weak }: Computed): Answer {
  const body = Buffer.from(json)
  const timeAt = timed ? body.indexOf(REQUEST_TIME) : -1
  return {
    key: weak === undefined ? key : undefined,
    status,
    type: TYPE,
    body,
    ...(timeAt >= 0 && { timeAt }),
    etag: weak ?? `${timed ? 'W/' : ''}"${hash('sha1', body, 'base64url')}"`,
    link,
    compressed: {},
  }
}
