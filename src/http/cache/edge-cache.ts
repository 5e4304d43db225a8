import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Cache } from '../../cache/cache.ts'
import type { Notifications } from '../../db/connect/notifications.ts'
import type { Caller, DataVersions, Decision, Statement } from '../../db/connect/scope.ts'
import { REQUEST_TIME } from '../../rest/endpoint.ts'

/**
 * The use of the cache by a request: `joined` sent the answer that another request was computing.
 */
export type CacheResult = 'hit' | 'joined' | 'shared' | 'miss' | 'bypass'

/** A request for an answer. The cache notes in it what it did. */
export interface CacheClient extends Caller {
  cache?: CacheResult | undefined
  readonly bypassesCache: boolean
}

/** A response that is ready to send. */
export interface Answer {
  /** The kind of answer, for logs and metrics: the path of an endpoint, or an operation. */
  name: string
  /** The cache key. Undefined if the answer is not cached. */
  key: string | undefined
  status: number
  type: string
  body: Buffer
  /** The offset of REQUEST_TIME in the body, which the time of each request overwrites. */
  timeAt?: number
  etag: string
  /** The value of its `link` header. */
  link?: string | undefined
  /** The data versions that it may be from. Undefined without replicas. */
  versions?: DataVersions | undefined
  /** Compressed bodies, made on first use. */
  compressed: Partial<Record<Encoding, Buffer>>
}

export type Encoding = 'br' | 'gzip'

/** The result of computing an answer on a cache miss. */
export interface Computed {
  /** Its answers: the path of an endpoint, or an operation. */
  name: string
  status: number
  json: string
  /** True if the body contains REQUEST_TIME. */
  timed?: boolean | undefined
  /** The value of the answer's `link` header. */
  link?: string | undefined
  /** The weak ETag of an answer that depends on the time of its request and so is not cached. */
  etag?: string
  /** The data versions that it may be from. Undefined without replicas. */
  versions?: DataVersions | undefined
}

/** The cache key of a GET. Undefined if the URL is too long to cache. */
export function edgeKey({ url }: { url: string }): string | undefined {
  return url.length > MAX_KEY ? undefined : url
}

const MAX_KEY = 2000

/** Computes an answer, and may stop once no client waits for it. */
export type Compute = (caller: Caller) => Promise<Computed>

/** The ETag of a ready body: hashed in one call, which is faster than the package. */
export const tagOf = (
  body: string | Buffer,
  { weak = false }: { weak?: boolean | undefined } = {},
) => `${weak ? 'W/' : ''}"${hash('sha1', body, 'base64url')}"`

export interface EdgeCacheOptions {
  maxBytes: number
  notifications: Notifications
  /** A second-level cache that gateways share, and the release that its answers must be from. */
  shared: { cache: Cache; release: string } | undefined
  /** Identifies the state of the data that a read started now would see. */
  historyPoint(): Promise<string>
  now(): Date
}

const TYPE = 'application/json; charset=utf-8'
/** The memory of an entry without its texts. */
const ENTRY_BYTES = 1000
/** Below this size, compression saves too little. */
const COMPRESS_FROM = 1024

/**
 * True if an answer may be sent compressed. An uncached one is not, as it would be compressed each
 * time.
 */
export const isCompressible = ({ key, body, timeAt }: Answer): boolean =>
  key !== undefined && timeAt === undefined && body.length >= COMPRESS_FROM

/** An answer that is being computed, shared by all clients that request it in the meantime. */
class Flight implements Caller {
  readonly #clients: Caller[] = []
  readonly minVersion: number | undefined
  versions: DataVersions | undefined
  answer!: Promise<Answer>

  constructor(client: Caller) {
    this.#clients.push(client)
    this.minVersion = client.minVersion
  }

  join(client: Caller): this {
    this.#clients.push(client)
    return this
  }

  /** The statements are those of the first client, for which they run. */
  onStatement(statement: Statement): void {
    this.#clients[0]?.onStatement?.(statement)
  }

  onDecision(decision: Decision, choice: string): void {
    this.#clients[0]?.onDecision?.(decision, choice)
  }

  onVersions(versions: DataVersions): void {
    this.versions = versions
  }

  onQueued(): void {
    for (const client of this.#clients) client.onQueued?.()
  }

  get aborted(): boolean {
    return this.#clients.every(({ aborted }) => aborted)
  }
}

/**
 * Caches answers as bytes. Every committed change clears the cache, and while notifications of
 * changes cannot arrive, nothing is cached. An answer that was computed while a change arrived is
 * not cached either.
 */
export class EdgeCache {
  readonly #options: EdgeCacheOptions
  readonly #answers: LRUCache<string, Answer> | undefined
  readonly #flights = new Map<string, Flight>()
  #historyPoint: Promise<string> | undefined
  /** The number of changes seen so far. */
  #epoch = 0

  constructor(options: EdgeCacheOptions) {
    this.#options = options
    const sizeCalculation = ({ body, link = '', compressed: { br, gzip } }: Answer, key: string) =>
      body.length + link.length + (br?.length ?? 0) + (gzip?.length ?? 0) + key.length + ENTRY_BYTES
    this.#answers =
      options.maxBytes > 0
        ? new LRUCache({ maxSize: options.maxBytes, sizeCalculation })
        : undefined
    const { notifications } = options
    notifications.subscribe('gateway_data', () => this.clear())
    notifications.onUp(() => this.clear())
    notifications.onDown(() => this.clear())
  }

  /** Clears the cache, because the data has changed or may have. */
  clear(): void {
    this.#epoch++
    this.#historyPoint = undefined
    this.#answers?.clear()
    this.#flights.clear()
  }

  get size(): { answers: number; bytes: number } {
    return { answers: this.#answers?.size ?? 0, bytes: this.#answers?.calculatedSize ?? 0 }
  }

  /** True if changes of the data are notified. While they may be missed, nothing is cached. */
  get isNotified(): boolean {
    return performance.now() < this.#options.notifications.connectedUntil
  }

  /** The cached answer of a key, if it is of a data version or newer. */
  find(key: string, minVersion?: number): Answer | undefined {
    const answer = this.isNotified ? this.#answers?.get(key) : undefined
    return answer && has(answer.versions, minVersion) ? answer : undefined
  }

  /**
   * Returns the answer of a key from this cache or the shared one, or computes it, once for all
   * concurrent requests.
   * @param client the request, in which the cache notes what it did. An answer that no client waits
   * for any more is abandoned
   */
  answer(key: string | undefined, compute: Compute, client: CacheClient): Promise<Answer> {
    const { shared } = this.#options
    const { minVersion, bypassesCache: bypass } = client
    if (key === undefined || !(this.#answers || shared))
      return answerOf(undefined, compute, new Flight(client))
    // While changes may be missed, an answer in flight may predate the last change.
    const cached =
      bypass || !this.isNotified
        ? undefined
        : (this.find(key, minVersion) ?? this.#flights.get(key))
    if (cached instanceof Flight) {
      if (!cached.aborted && (cached.minVersion ?? 0) >= (minVersion ?? 0)) {
        client.cache = 'joined'
        return cached.join(client).answer
      }
    } else if (cached) {
      client.cache = 'hit'
      return Promise.resolve(cached)
    }
    client.cache = bypass ? 'bypass' : 'miss'
    return this.#fly(key, compute, client)
  }

  /** Computes the answer of a key for all clients that request it meanwhile, and caches it. */
  #fly(key: string, compute: Compute, client: CacheClient): Promise<Answer> {
    const { shared } = this.#options
    const epoch = this.#epoch
    const flight = new Flight(client)
    const land = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    const computed = shared
      ? this.#computeShared(shared, key, compute, flight, client)
      : answerOf(key, compute, flight)
    flight.answer = computed.then(
      (answer) => {
        land()
        if (answer.key !== undefined && epoch === this.#epoch && this.isNotified) {
          answer.body = unpooled(answer.body)
          this.#answers?.set(key, answer)
        }
        return answer
      },
      (error) => {
        land()
        throw error
      },
    )
    this.#flights.set(key, flight)
    return flight.answer
  }

  timedBody({ body, timeAt }: Answer): Buffer {
    if (timeAt === undefined) return body
    const copy = Buffer.from(body)
    copy.write(this.#options.now().toISOString(), timeAt, 'latin1')
    return copy
  }

  /** The compressed body, which is cached with the answer. */
  async compressed(answer: Answer, encoding: Encoding): Promise<Buffer> {
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

  /** The answer that another gateway has shared, or else the computed one, which is shared. */
  async #computeShared(
    { cache, release }: NonNullable<EdgeCacheOptions['shared']>,
    key: string,
    compute: Compute,
    flight: Flight,
    client: CacheClient,
  ): Promise<Answer> {
    const { bypassesCache: bypass } = client
    if (bypass) this.#historyPoint = undefined
    const point = await this.#currentPoint()
    const sharedKey = `answer ${release} ${point} ${key}`
    const cached = bypass ? undefined : await cache.get(sharedKey)
    const shared = cached === undefined ? undefined : (JSON.parse(cached) as Computed)
    if (shared && has(shared.versions, client.minVersion)) {
      client.cache = 'shared'
      return toAnswer(key, shared)
    }
    const computed = { ...(await compute(flight)), versions: flight.versions }
    if (computed.etag === undefined) void this.#share(cache, sharedKey, point, computed)
    return toAnswer(key, computed)
  }

  /** Shares an answer if the data did not change while it was computed. */
  async #share(cache: Cache, key: string, point: string, computed: Computed): Promise<void> {
    const now = await this.#options.historyPoint().catch(() => undefined)
    if (now === point) cache.set(key, JSON.stringify(computed))
  }

  #currentPoint(): Promise<string> {
    if (!this.isNotified) return this.#options.historyPoint()
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

/** A small buffer is a part of a block of 8 KiB, which it would keep in memory. */
function unpooled(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

const has = (versions: DataVersions | undefined, minVersion: number | undefined) =>
  minVersion === undefined || (versions !== undefined && versions.from >= minVersion)

const answerOf = (key: string | undefined, compute: Compute, flight: Flight): Promise<Answer> =>
  compute(flight).then((computed) => toAnswer(key, computed, flight.versions))

function toAnswer(
  key: string | undefined,
  { name, status, json, timed, link, etag: weak, versions: known }: Computed,
  versions = known,
): Answer {
  const body = Buffer.from(json)
  const timeAt = timed ? body.indexOf(REQUEST_TIME) : -1
  let etag = weak
  return {
    name,
    key: weak === undefined ? key : undefined,
    status,
    type: TYPE,
    body,
    ...(timeAt >= 0 && { timeAt }),
    // Hashed when it is sent: answers to POSTs have none.
    get etag() {
      etag ??= tagOf(this.body, { weak: timed })
      return etag
    },
    link,
    versions,
    compressed: {},
  }
}
