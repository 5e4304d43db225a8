import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import pTimeout from 'p-timeout'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../deps.ts'
import { GatewayError } from '../errors.ts'
import { type Admin, requireAdmin, type Scope } from '../graphql/context.ts'
import { adminOf, adminTokens } from './admin.ts'
import { openBudgets } from './budgets.ts'
import type { Budget } from './counters.ts'
import { faultOf, noteUses, readKey, type StoredKey, UNKNOWN } from './key.ts'
import { mountKeys } from './mount.ts'
import type { BoundedRateLimiter } from './point-limiter.ts'
import { hasKey, readSecret, type Secret, sentKey, withoutKeys } from './secret.ts'
import { Usage } from './usage.ts'

const MAX_KNOWN = 10_000
const READ_MS = 2000
const READS_AT_ONCE = 4
const MAX_READS = 1000
// How often a key is read again while notifications do not arrive, and ends are looked for.
const LOOK_MS = 1000
const NOTE_MS = 60_000
const ATTEMPTS = 20
const ATTEMPTS_SECONDS = 60

type KeysDeps = Pick<
  Deps,
  'config' | 'log' | 'metrics' | 'notifications' | 'now' | 'outage' | 'store'
>

/** The API key of a request, and the points that it may use. */
export interface CallerKey {
  name: string
  scopes: Scope[]
  budgets: Budget[]
  /** Aborted when it is revoked, with the error that its streams end with. */
  revoked: AbortController
}

/** A request that may send a key. */
interface Keyed {
  request: IncomingMessage
  response: ServerResponse | undefined
  /** The socket of a WebSocket, which outlives the response. */
  handshake: { socket: Socket } | undefined
  key: CallerKey | undefined
  /** Ends it, since its key is no longer valid. */
  revoke(error: GatewayError): void
}

type ClientOf = (request: IncomingMessage) => string

interface KnownKey {
  key: StoredKey | undefined
  readAt: number
  /** True while a change would have been notified. */
  isFresh: boolean
}

/** A key that a request in progress has sent. */
interface OpenUse {
  secret: Secret
  exchange: Keyed
}

/** The keys that clients send: found by their id, kept in memory, and ended when they are revoked. */
export class Keys {
  readonly #deps: KeysDeps
  readonly #clientOf: ClientOf
  readonly #known = new LRUCache<string, KnownKey>({ max: MAX_KNOWN })
  readonly #reading = new Map<string, Promise<StoredKey | undefined>>()
  readonly #limit = pLimit(READS_AT_ONCE)
  readonly #open = new Map<string, Set<OpenUse>>()
  readonly #unsubscribe: (() => void)[] = []
  readonly #budgets: ReturnType<typeof openBudgets>
  readonly #usage: Usage
  readonly #adminTokens: ReturnType<typeof adminTokens>
  // Failed attempts by address.
  #attempts: Promise<BoundedRateLimiter> | undefined
  // Raised with each change: a read that began before it may have missed it.
  #changes = 0
  #used = new Map<string, Date>()
  #noting: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined

  /** @param clientOf names clients, which are charged for failed attempts */
  constructor(deps: KeysDeps, clientOf: ClientOf) {
    this.#deps = deps
    this.#clientOf = clientOf
    this.#budgets = openBudgets(deps.config)
    this.#usage = new Usage(deps.metrics)
    this.#adminTokens = adminTokens(deps.config)
  }

  /** The right of a request to write, by its admin token or else by its key. */
  adminOf(headers: IncomingHttpHeaders, key: CallerKey | undefined): Admin {
    const admin = adminOf(headers, this.#adminTokens)
    return key && typeof admin === 'string' ? key : admin
  }

  /**
   * Finds the key of a request, which then belongs to its exchange.
   * @returns undefined if it sends none, else why it is refused, if it is
   */
  identify(exchange: Keyed): Promise<GatewayError | undefined> | undefined {
    const { request } = exchange
    const { url = '' } = request
    if (hasKey(url)) {
      request.url = withoutKeys(url)
      return Promise.resolve(IN_URL)
    }
    const sent = sentKey(request.headers)
    return sent === undefined ? undefined : this.use(sent, exchange)
  }

  /** Does the same for a key that a message has brought. */
  async use(sent: string, exchange: Keyed): Promise<GatewayError | undefined> {
    const address = this.#clientOf(exchange.request)
    try {
      const secret = readSecret(sent)
      const key = secret && (await this.#find(secret, address))
      const fault = faultOf(key, secret ?? NO_SECRET, this.#deps.now())
      if (key && secret && fault === undefined) {
        exchange.key = await this.#callerOf(key)
        this.#begin({ secret, exchange })
        return undefined
      }
      // A client that had the secret guesses nothing.
      if (key && fault === UNKNOWN) await (await this.#attemptsOf()).consume(address, 1)
      if (key && fault !== UNKNOWN) this.#usage.ended(key.name)
      return new GatewayError('UNAUTHENTICATED', fault ?? '')
    } catch (error) {
      if (error instanceof GatewayError) return error
      if (!(error instanceof Error)) return tooManyAttempts(error as RateLimiterRes)
      this.#deps.log.error({ err: error }, 'an API key cannot be checked')
      return AWAY
    }
  }

  /**
   * A hook of `/metrics`, which is answered before keys are looked for: with METRICS_KEY it lets
   * admins pass, and keys with the scope `metrics`.
   */
  readonly guardMetrics = async ({ raw, headers }: FastifyRequest, reply: FastifyReply) => {
    if (this.#deps.config.METRICS_KEY === 'open') return
    reply.header('cache-control', 'no-store')
    const scrape: Keyed = {
      ...{ request: raw, response: reply.raw, handshake: undefined, key: undefined },
      revoke: () => reply.raw.destroy(),
    }
    const fault = await this.identify(scrape)
    if (fault) throw fault
    requireAdmin(this.adminOf(headers, scrape.key), 'metrics')
  }

  /** Lists them to admins, and closes with the server. */
  mount(app: FastifyInstance): void {
    app.addHook('onClose', () => this.close())
    mountKeys(app, this.#deps, {
      lastUse: (id) => this.#used.get(id),
      budgetsOf: (key) => this.#budgets.of(key),
    })
  }

  /** Notes the last uses. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    clearInterval(this.#looking)
    await this.#note()
    await this.#budgets.close()
  }

  async #callerOf({ id, name, scopes, perMinute, perDay }: StoredKey): Promise<CallerKey> {
    const limits = await this.#budgets.of({ id, perMinute, perDay })
    const budgets = [this.#usage.begin(name), ...limits]
    return { name, scopes, budgets, revoked: new AbortController() }
  }

  // A known key is found for everybody. Others are looked up unless the address has failed often:
  // one that does not exist counts once, since a client with an old key sends it again and again.
  async #find({ id }: Secret, address: string): Promise<StoredKey | undefined> {
    const known = this.#known.get(id)
    if (known && this.#mayUse(known)) return known.key
    const limiter = await this.#attemptsOf()
    const attempts = await limiter.get(address)
    if (attempts && attempts.consumedPoints >= ATTEMPTS && !known) throw attempts
    const key = await this.#read(id)
    if (!key && !known) await limiter.consume(address, 1)
    return key
  }

  #mayUse({ key, isFresh, readAt }: KnownKey): boolean {
    const { notifications, outage } = this.#deps
    const now = performance.now()
    if (isFresh && notifications.connectedUntil > now) return true
    return now - readAt < LOOK_MS || (key !== undefined && outage.active)
  }

  // Reads a key. While the store is away, what was known of it stays true.
  #read(id: string): Promise<StoredKey | undefined> {
    this.#listen()
    const reading = this.#reading.get(id) ?? this.#readOnce(id)
    this.#reading.set(id, reading)
    return reading
  }

  async #readOnce(id: string): Promise<StoredKey | undefined> {
    const { store, outage, notifications } = this.#deps
    if (this.#limit.pendingCount >= MAX_READS) throw AWAY
    const changes = this.#changes
    const isConnected = notifications.connectedUntil > performance.now()
    try {
      const query = this.#limit(() => readKey(store.pool, id))
      const key = await pTimeout(query, { milliseconds: READ_MS })
      const isCurrent = changes === this.#changes
      const readAt = isCurrent ? performance.now() : Number.NEGATIVE_INFINITY
      this.#known.set(id, { key, readAt, isFresh: isCurrent && isConnected })
      return key
    } catch (error) {
      outage.failed(error)
      const known = this.#known.get(id)
      if (!known?.key) throw AWAY
      known.readAt = performance.now()
      return known.key
    } finally {
      this.#reading.delete(id)
    }
  }

  #attemptsOf(): Promise<BoundedRateLimiter> {
    this.#attempts ??= import('./point-limiter.ts').then(
      ({ BoundedRateLimiter }) =>
        new BoundedRateLimiter({ points: ATTEMPTS, duration: ATTEMPTS_SECONDS }),
    )
    return this.#attempts
  }

  #begin(use: OpenUse): void {
    const { id } = use.secret
    const { handshake, response } = use.exchange
    const connection = handshake?.socket ?? response
    if (!connection || connection.destroyed) return
    const uses = this.#open.get(id) ?? new Set()
    this.#open.set(id, uses.add(use))
    connection.once('close', () => {
      uses.delete(use)
      if (uses.size === 0 && this.#open.get(id) === uses) this.#open.delete(id)
    })
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref()
    this.#used.set(id, this.#deps.now())
    this.#noting ??= setTimeout(() => this.#note(), NOTE_MS).unref()
  }

  #listen(): void {
    if (this.#unsubscribe.length > 0) return
    const { notifications } = this.#deps
    const forget = () => {
      this.#changes++
      for (const known of this.#known.values()) known.isFresh = false
    }
    this.#unsubscribe.push(
      notifications.subscribe('gateway_key', (id) => {
        this.#changes++
        this.#known.delete(id)
        if (this.#open.has(id)) void this.#check(id)
      }),
      notifications.onUp(forget),
      notifications.onDown(forget),
    )
  }

  #look(): void {
    for (const id of this.#open.keys()) void this.#check(id)
  }

  // Ends what a key has open that it may no longer have.
  async #check(id: string): Promise<void> {
    const known = this.#known.get(id)
    try {
      const key = known && this.#mayUse(known) ? known.key : await this.#read(id)
      for (const { secret, exchange } of this.#open.get(id) ?? []) {
        const fault = faultOf(key, secret, this.#deps.now())
        if (fault !== undefined) exchange.revoke(new GatewayError('UNAUTHENTICATED', fault))
      }
    } catch (error) {
      if (error !== AWAY) this.#deps.log.error({ err: error }, 'an API key cannot be checked')
    }
  }

  async #note(): Promise<void> {
    clearTimeout(this.#noting)
    this.#noting = undefined
    const uses = this.#used
    if (uses.size === 0) return
    this.#used = new Map()
    // A role that may only read notes nothing.
    await noteUses(this.#deps.store.pool, uses).catch((err) =>
      this.#deps.log.debug({ err }, 'the last uses of API keys are not noted'),
    )
  }
}

const tooManyAttempts = ({ msBeforeNext }: RateLimiterRes) =>
  new GatewayError(
    'RATE_LIMITED',
    'Your address has sent too many API keys that are not valid. Try again later.',
    [],
    Math.ceil(msBeforeNext / 1000),
  )

const NO_SECRET = { digest: Buffer.alloc(32) }

const IN_URL = new GatewayError(
  'BAD_INPUT',
  'An API key must not be in a URL, where logs keep it: revoke this one, and send the new one as ' +
    'the header x-api-key.',
)

const AWAY = new GatewayError(
  'UNAVAILABLE',
  'The API key cannot be checked now. Try again in a moment.',
  [],
  1,
)
