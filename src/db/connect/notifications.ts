import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Receives NOTIFY from the store on a separate connection. */
export interface Notifications {
  /**
   * The `performance.now()` until which notifications count as arriving: until then, all commits
   * older than `silenceMs` have been notified. 0 while they are missed. Compare it with the clock:
   * a process that was stopped handles requests before timers.
   */
  readonly connectedUntil: number
  /**
   * Calls `listener` with the payload of each notification of a channel.
   * @returns a function that unsubscribes
   */
  subscribe(channel: string, listener: (payload: string) => void): () => void
  /**
   * Calls `listener` on connecting, and at once if connected. Earlier notifications may have been
   * missed.
   * @returns a function that unsubscribes
   */
  onUp(listener: () => void): () => void
  /**
   * Calls `listener` as soon as notifications may be missed, with the `performance.now()` since
   * when they may be.
   * @returns a function that unsubscribes
   */
  onDown(listener: (since: number) => void): () => void
  close(): Promise<void>
}

interface NotificationsOptions {
  url: string
  channels: string[]
  notify(channel: string, payload: string): Promise<void>
  /** Called once per outage, with the failure that began it. */
  onError(error: Error): void
  /** The interval of heartbeats: notifications to itself. */
  heartbeatMs?: number
  /** The time without a heartbeat after which notifications count as missed. */
  silenceMs?: number
  patienceMs?: number
}

const HEARTBEAT_MS = 1000
const SILENCE_MS = 2500
const MAX_PAUSE_MS = 5000
const CLOSING_MS = 500

/**
 * Listens to channels of the store. It connects on the first subscription and reconnects, with
 * growing pauses, whenever the connection is lost; subscribers get no error. An open connection may
 * still receive nothing (a stalled network, a pooler in transaction mode), so it only counts as
 * connected after a heartbeat: a notification to itself.
 */
export const openNotifications = (options: NotificationsOptions): Notifications =>
  new Listener(options)

class Listener implements Notifications {
  readonly #options: NotificationsOptions
  readonly #heartbeatMs: number
  readonly #silenceMs: number
  readonly #closing = new AbortController()
  readonly #listeners: ReadonlyMap<string, Set<(payload: string) => void>>
  readonly #ups = new Set<() => void>()
  readonly #downs = new Set<(since: number) => void>()
  #watchdog: NodeJS.Timeout | undefined
  // An outage is reported once.
  #isReported = false
  #failures = 0
  #listening: Promise<void> | undefined
  connectedUntil = 0

  constructor(options: NotificationsOptions) {
    this.#options = options
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS
    this.#silenceMs = options.silenceMs ?? SILENCE_MS
    this.#listeners = new Map(options.channels.map((channel) => [channel, new Set()]))
  }

  subscribe(channel: string, listener: (payload: string) => void): () => void {
    const listeners = this.#listeners.get(channel)
    if (!listeners) throw new Error(`${channel} is not a configured channel`)
    return this.#add(listeners, listener)
  }

  onUp(listener: () => void): () => void {
    if (this.connectedUntil > 0) listener()
    return this.#add(this.#ups, listener)
  }

  onDown(listener: (since: number) => void): () => void {
    return this.#add(this.#downs, listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#listening
  }

  #add<T>(listeners: Set<T>, listener: T): () => void {
    listeners.add(listener)
    this.#listening ??= this.#listen()
    return () => void listeners.delete(listener)
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing
    for (; !signal.aborted; this.#failures++) {
      await this.#receive().catch((error: Error) => {
        if (!this.#isReported) this.#options.onError(error)
        this.#isReported = true
      })
      const pause = Math.min(100 * 2 ** Math.min(this.#failures, 10), MAX_PAUSE_MS)
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
    }
  }

  // Receives on one connection for as long as heartbeats arrive. Throws the error that ended it,
  // unless it was closed.
  async #receive(): Promise<void> {
    const { url, channels, notify, patienceMs = 5000 } = this.#options
    const closing = this.#closing.signal
    const client = new pg.Client({
      connectionString: url,
      application_name: 'gateway-listen',
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      keepAlive: true,
    })
    const over = new AbortController()
    const stop = () => over.abort()
    closing.addEventListener('abort', stop)
    const lost = new Promise<never>((_, reject) => {
      const end = (error = new Error('the connection to the store ended')) => {
        this.#down()
        stop()
        reject(error)
      }
      client.on('error', end)
      client.on('end', () => end())
    })
    lost.catch(() => {})
    const unlessLost = <T>(work: Promise<T>) => Promise.race([work, lost])
    const heartbeat = `gateway_heartbeat_${randomUUID()}`
    let heardAt = 0
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== heartbeat) return this.#deliver(channel, payload)
      heardAt = performance.now()
      this.#proven(Number(payload))
    })
    try {
      await unlessLost(client.connect())
      const listens = [...channels, heartbeat].map((name) => `LISTEN ${pg.escapeIdentifier(name)}`)
      await unlessLost(client.query(['SET idle_session_timeout = 0', ...listens].join('; ')))
      heardAt = performance.now()
      while (!closing.aborted) {
        // Nothing more is sent on this connection, as a pooler would lend it a server connection
        // only for that statement.
        notify(heartbeat, String(performance.now())).catch(() => {})
        await unlessLost(
          sleep(this.#heartbeatMs, undefined, { signal: over.signal }).catch(() => {}),
        )
        if (performance.now() - heardAt > 2 * this.#silenceMs) throw new Error(DEAF)
      }
    } finally {
      this.#down()
      closing.removeEventListener('abort', stop)
      // A dead connection would wait forever for its goodbye.
      const { stream } = client.connection
      if (!closing.aborted) stream.destroy()
      const patience = sleep(CLOSING_MS, undefined, { ref: false })
      await Promise.race([client.end().catch(() => {}), patience])
      stream.destroy()
    }
  }

  #deliver(channel: string, payload: string): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) listener(payload)
  }

  // All commits before this time have been notified.
  #proven(at: number): void {
    const wasConnected = this.connectedUntil > 0
    this.#failures = 0
    this.connectedUntil = at + this.#silenceMs
    clearTimeout(this.#watchdog)
    const left = this.connectedUntil - performance.now()
    this.#watchdog = setTimeout(() => this.#down(), left).unref()
    if (wasConnected) return
    this.#isReported = false
    for (const listener of [...this.#ups]) listener()
  }

  #down(): void {
    clearTimeout(this.#watchdog)
    if (this.connectedUntil === 0) return
    const since = this.connectedUntil - this.#silenceMs
    this.connectedUntil = 0
    for (const listener of [...this.#downs]) listener(since)
  }
}

const DEAF =
  'the notifications of the store do not arrive, so answers are not cached: does DATABASE_URL ' +
  'lead to a pooler in transaction mode? Then DATABASE_DIRECT_URL must lead to the same ' +
  'database without it.'
