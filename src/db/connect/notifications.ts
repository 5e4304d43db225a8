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

export interface NotificationsOptions {
  url: string
  channels: string[]
  /** Notifies on another connection, as writers do. */
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
export function openNotifications(options: NotificationsOptions): Notifications {
  const { silenceMs = SILENCE_MS } = options
  const closing = new AbortController()
  const listeners = new Map(
    options.channels.map((channel) => [channel, new Set<(payload: string) => void>()]),
  )
  const ups = new Set<() => void>()
  const downs = new Set<(since: number) => void>()
  let watchdog: NodeJS.Timeout | undefined
  let outage = false
  let listening: Promise<void> | undefined

  const proven = (at: number) => {
    const wasConnected = notifications.connectedUntil > 0
    notifications.connectedUntil = at + silenceMs
    clearTimeout(watchdog)
    watchdog = setTimeout(down, notifications.connectedUntil - performance.now()).unref()
    if (wasConnected) return
    outage = false
    for (const listener of [...ups]) listener()
  }
  const down = () => {
    clearTimeout(watchdog)
    if (notifications.connectedUntil === 0) return
    const since = notifications.connectedUntil - silenceMs
    notifications.connectedUntil = 0
    for (const listener of [...downs]) listener(since)
  }
  const deliver = (channel: string, payload: string) => {
    for (const listener of [...(listeners.get(channel) ?? [])]) listener(payload)
  }
  const listen = async () => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      try {
        await hold(options, closing.signal, {
          proven(at) {
            failures = 0
            proven(at)
          },
          down,
          deliver,
        })
      } catch (error) {
        if (!outage) options.onError(error as Error)
        outage = true
      }
      const pause =
        Math.min(100 * 2 ** Math.min(failures, 10), MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const add = <T>(set: Set<T>, listener: T) => {
    set.add(listener)
    listening ??= listen()
    return () => void set.delete(listener)
  }

  const notifications = {
    connectedUntil: 0,
    subscribe(channel: string, listener: (payload: string) => void) {
      const set = listeners.get(channel)
      if (!set) throw new Error(`${channel} is not a configured channel`)
      return add(set, listener)
    },
    onUp(listener: () => void) {
      if (notifications.connectedUntil > 0) listener()
      return add(ups, listener)
    },
    onDown: (listener: (since: number) => void) => add(downs, listener),
    async close() {
      closing.abort()
      await listening
    },
  }
  return notifications
}

interface Events {
  /** All commits before this time have been notified. */
  proven(at: number): void
  down(): void
  deliver(channel: string, payload: string): void
}

// Listens on one connection for as long as heartbeats arrive. Throws the error that ended it,
// unless it was closed.
async function hold(
  options: NotificationsOptions,
  closing: AbortSignal,
  { proven, down, deliver }: Events,
): Promise<void> {
  const {
    url,
    channels,
    notify,
    heartbeatMs = HEARTBEAT_MS,
    silenceMs = SILENCE_MS,
    patienceMs = 5000,
  } = options
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
    const end = (error?: Error) => {
      down()
      stop()
      reject(error ?? new Error('the connection to the store ended'))
    }
    client.on('error', end)
    client.on('end', () => end())
  })
  lost.catch(() => {})
  const heartbeat = `gateway_heartbeat_${randomUUID()}`
  let heardAt = 0
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel !== heartbeat) return deliver(channel, payload)
    heardAt = performance.now()
    proven(Number(payload))
  })
  try {
    await Promise.race([client.connect(), lost])
    const listens = [...channels, heartbeat].map(
      (channel) => `LISTEN ${pg.escapeIdentifier(channel)}`,
    )
    const commands = ['SET idle_session_timeout = 0', ...listens]
    await Promise.race([client.query(commands.join('; ')), lost])
    heardAt = performance.now()
    while (!closing.aborted) {
      // Nothing more is sent on this connection, as a pooler would lend it a server connection only
      // for that statement.
      notify(heartbeat, String(performance.now())).catch(() => {})
      await Promise.race([
        sleep(heartbeatMs, undefined, { signal: over.signal }).catch(() => {}),
        lost,
      ])
      if (performance.now() - heardAt > 2 * silenceMs) throw new Error(DEAF)
    }
  } finally {
    down()
    closing.removeEventListener('abort', stop)
    // A dead connection would wait forever for its goodbye.
    const { stream } = client.connection
    if (!closing.aborted) stream.destroy()
    await Promise.race([client.end().catch(() => {}), sleep(CLOSING_MS, undefined, { ref: false })])
    stream.destroy()
  }
}

const DEAF =
  'the notifications of the store do not arrive, so answers are not cached: does DATABASE_URL ' +
  'lead to a pooler in transaction mode? Then DATABASE_DIRECT_URL must lead to the same ' +
  'database without it.'
